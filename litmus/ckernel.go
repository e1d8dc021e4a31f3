package litmus

import (
	"slices"
	"strings"
	"sync"

	"github.com/barriergen/barriergen/memmodel"
)

// cTags are the sets that the kernel's model knows. Every front end's slice must stay the same one.
var cTags = []string{
	"Plain", "Once", "Acquire", "Release", "Noreturn", "Mb", "Rmb", "Wmb", "Barrier",
	"Before-atomic", "After-atomic", "After-spinlock", "After-unlock-lock", "After-srcu-read-unlock",
	"Acquire-fence", "Release-fence", "Ctrl-acquire",
	"LKR", "LKW", "UL", "RL", "Conditional",
	"Rcu-lock", "Rcu-unlock", "Sync-rcu", "Srcu-lock", "Srcu-unlock", "Sync-srcu",
}

// The tags as bits, in the order of cTags.
const (
	cPlain memmodel.Tags = 1 << iota
	cOnce
	cAcquire
	cRelease
	cNoreturn
	cMb
	cRmb
	cWmb
	cBarrier
	cBeforeAtomic
	cAfterAtomic
	cAfterSpinlock
	cAfterUnlockLock
	cAfterSrcuReadUnlock
	cAcquireFence
	cReleaseFence
	cCtrlAcquire
	cLKR
	cLKW
	cUL
	cRL
	cConditional // the read of a read-modify-write that may fail: then it orders nothing
	cRcuLock
	cRcuUnlock
	cSyncRcu
	cSrcuLock
	cSrcuUnlock
	cSyncSrcu
)

// cCall is how a function of the kernel is lowered.
type cCall uint8

const (
	callFence    cCall = iota // an event without an access
	callNone                  // nothing at all
	callLoad                  // a read
	callStore                 // a write
	callRMW                   // fn(old, operand)
	callCAS                   // a compare-and-swap
	callTryCAS                // the same; the expected value stands in a local variable, which takes the old one
	callIf                    // fn(old, operand) if cmp(old, limit)
	callLock                  // a lock operation that succeeds
	callLoadIf                // a read in a spin loop that ended
	callBitPlain              // a read, and a write: not atomic
)

// cResult is what a call gives back.
type cResult uint8

const (
	resVoid cResult = iota
	resOld
	resNew
	resNewZero
	resNewNegative
	resWrote   // whether cmp held
	resOldBit  // whether the bit was set
	resOldSign // bit 7 of the old value
)

// cFunc is a function of the kernel.
type cFunc struct {
	call cCall
	// args is one letter per argument: p a pointer, l the location itself (*x), v a value operated with or stored,
	// e the value expected or the limit, o the address of a local variable, n the number of a bit, c a condition on VAL,
	// and - one that does not matter.
	args    string
	fn, cmp memmodel.Fn
	k       memmodel.Value // the operand if there is no v
	res     cResult
	tags    memmodel.Tags // of the read or fence
	wtags   memmodel.Tags // of the write
	after   memmodel.Tags // of a fence behind it
}

// cOrder is a suffix of the read-modify-writes that return something, with its tags.
type cOrder struct {
	suffix      string
	tags, wtags memmodel.Tags
}

var cOrders = []cOrder{
	{"", cMb, cMb},
	{"_relaxed", cOnce, cOnce},
	{"_acquire", cAcquire, cOnce},
	{"_release", cOnce, cRelease},
}

// cSimple are the functions that come alone.
var cSimple = sync.OnceValue(func() map[string]cFunc {
	return map[string]cFunc{
		"READ_ONCE":                 {call: callLoad, args: "l", res: resOld, tags: cOnce},
		"WRITE_ONCE":                {call: callStore, args: "lv", wtags: cOnce},
		"smp_load_acquire":          {call: callLoad, args: "p", res: resOld, tags: cAcquire},
		"smp_store_release":         {call: callStore, args: "pv", wtags: cRelease},
		"smp_store_mb":              {call: callStore, args: "lv", wtags: cOnce, after: cMb},
		"rcu_dereference":           {call: callLoad, args: "l", res: resOld, tags: cOnce},
		"rcu_dereference_raw":       {call: callLoad, args: "l", res: resOld, tags: cOnce},
		"srcu_dereference":          {call: callLoad, args: "l-", res: resOld, tags: cOnce},
		"rcu_access_pointer":        {call: callLoad, args: "l", res: resOld, tags: cOnce},
		"lockless_dereference":      {call: callLoad, args: "l", res: resOld, tags: cOnce},
		"rcu_dereference_check":     {call: callLoad, args: "l-", res: resOld, tags: cOnce},
		"rcu_dereference_protected": {call: callLoad, args: "l-", res: resOld, tags: cOnce},
		"RCU_INIT_POINTER":          {call: callStore, args: "lv", wtags: cOnce},
		"rcu_assign_pointer":        {call: callStore, args: "lv", wtags: cRelease},
		"smp_cond_load_acquire":     {call: callLoadIf, args: "pc", res: resOld, tags: cAcquire},
		"smp_cond_load_relaxed":     {call: callLoadIf, args: "pc", res: resOld, tags: cOnce},

		"smp_mb":                         {tags: cMb},
		"smp_rmb":                        {tags: cRmb},
		"smp_wmb":                        {tags: cWmb},
		"mb":                             {tags: cMb},
		"rmb":                            {tags: cRmb},
		"wmb":                            {tags: cWmb},
		"virt_mb":                        {tags: cMb},
		"virt_rmb":                       {tags: cRmb},
		"virt_wmb":                       {tags: cWmb},
		"barrier":                        {tags: cBarrier},
		"smp_mb__before_atomic":          {tags: cBeforeAtomic},
		"smp_mb__after_atomic":           {tags: cAfterAtomic},
		"smp_mb__after_spinlock":         {tags: cAfterSpinlock},
		"smp_mb__after_unlock_lock":      {tags: cAfterUnlockLock},
		"smp_mb__after_srcu_read_unlock": {tags: cAfterSrcuReadUnlock},
		"smp_acquire_fence":              {tags: cAcquireFence},
		"smp_release_fence":              {tags: cReleaseFence},
		"smp_acquire__after_ctrl_dep":    {tags: cCtrlAcquire},
		"smp_read_barrier_depends":       {call: callNone},
		"kfree":                          {call: callNone, args: "-"},

		"spin_lock":          {call: callLock, args: "p", fn: memmodel.FnB, k: 1, tags: cLKR, wtags: cLKW},
		"spin_unlock":        {call: callStore, args: "p", wtags: cUL},
		"spin_trylock":       {call: callCAS, args: "p", k: 1, res: resWrote, tags: cLKR | cConditional, wtags: cLKW},
		"spin_is_locked":     {call: callLoad, args: "p", res: resOld, tags: cRL},
		"raw_spin_lock":      {call: callLock, args: "p", fn: memmodel.FnB, k: 1, tags: cLKR, wtags: cLKW},
		"raw_spin_unlock":    {call: callStore, args: "p", wtags: cUL},
		"raw_spin_trylock":   {call: callCAS, args: "p", k: 1, res: resWrote, tags: cLKR | cConditional, wtags: cLKW},
		"raw_spin_is_locked": {call: callLoad, args: "p", res: resOld, tags: cRL},

		"rcu_read_lock":              {tags: cRcuLock},
		"rcu_read_unlock":            {tags: cRcuUnlock},
		"synchronize_rcu":            {tags: cSyncRcu},
		"synchronize_rcu_expedited":  {tags: cSyncRcu},
		"srcu_read_lock":             {call: callLoad, args: "p", res: resOld, tags: cSrcuLock},
		"srcu_read_unlock":           {call: callStore, args: "pv", wtags: cSrcuUnlock},
		"srcu_down_read":             {call: callLoad, args: "p", res: resOld, tags: cSrcuLock},
		"srcu_up_read":               {call: callStore, args: "pv", wtags: cSrcuUnlock},
		"synchronize_srcu":           {args: "p", tags: cSyncSrcu},
		"synchronize_srcu_expedited": {args: "p", tags: cSyncSrcu},

		"set_bit":                     {call: callRMW, args: "np", fn: memmodel.FnOr, tags: cOnce | cNoreturn, wtags: cOnce},
		"clear_bit":                   {call: callRMW, args: "np", fn: memmodel.FnAndNot, tags: cOnce | cNoreturn, wtags: cOnce},
		"change_bit":                  {call: callRMW, args: "np", fn: memmodel.FnXor, tags: cOnce | cNoreturn, wtags: cOnce},
		"clear_bit_unlock":            {call: callRMW, args: "np", fn: memmodel.FnAndNot, tags: cOnce | cNoreturn, wtags: cRelease},
		"__clear_bit_unlock":          {call: callBitPlain, args: "np", fn: memmodel.FnAndNot, tags: cOnce, wtags: cRelease},
		"test_and_set_bit":            {call: callRMW, args: "np", fn: memmodel.FnOr, res: resOldBit, tags: cMb, wtags: cMb},
		"test_and_clear_bit":          {call: callRMW, args: "np", fn: memmodel.FnAndNot, res: resOldBit, tags: cMb, wtags: cMb},
		"test_and_change_bit":         {call: callRMW, args: "np", fn: memmodel.FnXor, res: resOldBit, tags: cMb, wtags: cMb},
		"test_and_set_bit_lock":       {call: callIf, args: "np", fn: memmodel.FnOr, cmp: memmodel.FnClear, res: resOldBit, tags: cAcquire | cConditional, wtags: cOnce},
		"xor_unlock_is_negative_byte": {call: callRMW, args: "vp", fn: memmodel.FnXor, res: resOldSign, tags: cOnce, wtags: cRelease},
		"test_bit":                    {call: callLoad, args: "np", res: resOldBit, tags: cOnce},
		"test_bit_acquire":            {call: callLoad, args: "np", res: resOldBit, tags: cAcquire},
	}
})

// cAtomicOnly are the functions on atomic_t that have no ordered variants, without their prefix.
var cAtomicOnly = sync.OnceValue(func() map[string]cFunc {
	return map[string]cFunc{
		"read":         {call: callLoad, args: "p", res: resOld, tags: cOnce},
		"read_acquire": {call: callLoad, args: "p", res: resOld, tags: cAcquire},
		"set":          {call: callStore, args: "pv", wtags: cOnce},
		"set_release":  {call: callStore, args: "pv", wtags: cRelease},

		"add":    {call: callRMW, args: "vp", fn: memmodel.FnAdd, tags: cOnce | cNoreturn, wtags: cOnce},
		"sub":    {call: callRMW, args: "vp", fn: memmodel.FnSub, tags: cOnce | cNoreturn, wtags: cOnce},
		"inc":    {call: callRMW, args: "p", fn: memmodel.FnAdd, k: 1, tags: cOnce | cNoreturn, wtags: cOnce},
		"dec":    {call: callRMW, args: "p", fn: memmodel.FnSub, k: 1, tags: cOnce | cNoreturn, wtags: cOnce},
		"and":    {call: callRMW, args: "vp", fn: memmodel.FnAnd, tags: cOnce | cNoreturn, wtags: cOnce},
		"or":     {call: callRMW, args: "vp", fn: memmodel.FnOr, tags: cOnce | cNoreturn, wtags: cOnce},
		"xor":    {call: callRMW, args: "vp", fn: memmodel.FnXor, tags: cOnce | cNoreturn, wtags: cOnce},
		"andnot": {call: callRMW, args: "vp", fn: memmodel.FnAndNot, tags: cOnce | cNoreturn, wtags: cOnce},

		"inc_and_test": {call: callRMW, args: "p", fn: memmodel.FnAdd, k: 1, res: resNewZero, tags: cMb, wtags: cMb},
		"dec_and_test": {call: callRMW, args: "p", fn: memmodel.FnSub, k: 1, res: resNewZero, tags: cMb, wtags: cMb},
		"sub_and_test": {call: callRMW, args: "vp", fn: memmodel.FnSub, res: resNewZero, tags: cMb, wtags: cMb},

		"add_unless":          {call: callIf, args: "pve", fn: memmodel.FnAdd, cmp: memmodel.FnNe, res: resWrote, tags: cMb | cConditional, wtags: cMb},
		"fetch_add_unless":    {call: callIf, args: "pve", fn: memmodel.FnAdd, cmp: memmodel.FnNe, res: resOld, tags: cMb | cConditional, wtags: cMb},
		"inc_not_zero":        {call: callIf, args: "p", fn: memmodel.FnAdd, k: 1, cmp: memmodel.FnNe, res: resWrote, tags: cMb | cConditional, wtags: cMb},
		"inc_unless_negative": {call: callIf, args: "p", fn: memmodel.FnAdd, k: 1, cmp: memmodel.FnGe, res: resWrote, tags: cMb | cConditional, wtags: cMb},
		"dec_unless_positive": {call: callIf, args: "p", fn: memmodel.FnSub, k: 1, cmp: memmodel.FnLe, res: resWrote, tags: cMb | cConditional, wtags: cMb},
		"dec_if_positive":     {call: callIf, args: "p", fn: memmodel.FnSub, k: 1, cmp: memmodel.FnGt, res: resNew, tags: cMb | cConditional, wtags: cMb},
	}
})

// cOrdered are the read-modify-writes that exist in every order of cOrders, with the prefix of an atomic type.
var cOrdered = sync.OnceValue(func() map[string]cFunc {
	return map[string]cFunc{
		"xchg":         {call: callRMW, args: "pv", fn: memmodel.FnB, res: resOld},
		"cmpxchg":      {call: callCAS, args: "pev", res: resOld, tags: cConditional},
		"try_cmpxchg":  {call: callTryCAS, args: "pov", res: resWrote, tags: cConditional},
		"fetch_add":    {call: callRMW, args: "vp", fn: memmodel.FnAdd, res: resOld},
		"fetch_sub":    {call: callRMW, args: "vp", fn: memmodel.FnSub, res: resOld},
		"fetch_inc":    {call: callRMW, args: "p", fn: memmodel.FnAdd, k: 1, res: resOld},
		"fetch_dec":    {call: callRMW, args: "p", fn: memmodel.FnSub, k: 1, res: resOld},
		"fetch_and":    {call: callRMW, args: "vp", fn: memmodel.FnAnd, res: resOld},
		"fetch_or":     {call: callRMW, args: "vp", fn: memmodel.FnOr, res: resOld},
		"fetch_xor":    {call: callRMW, args: "vp", fn: memmodel.FnXor, res: resOld},
		"fetch_andnot": {call: callRMW, args: "vp", fn: memmodel.FnAndNot, res: resOld},
		"add_return":   {call: callRMW, args: "vp", fn: memmodel.FnAdd, res: resNew},
		"sub_return":   {call: callRMW, args: "vp", fn: memmodel.FnSub, res: resNew},
		"inc_return":   {call: callRMW, args: "p", fn: memmodel.FnAdd, k: 1, res: resNew},
		"dec_return":   {call: callRMW, args: "p", fn: memmodel.FnSub, k: 1, res: resNew},
		"add_negative": {call: callRMW, args: "vp", fn: memmodel.FnAdd, res: resNewNegative},
	}
})

// cBare are those of them that exist without a prefix.
var cBare = []string{"xchg", "cmpxchg", "try_cmpxchg"}

// findFunc finds a function of the kernel.
func findFunc(name string) (cFunc, bool) {
	if f, ok := cSimple()[name]; ok {
		return f, true
	}
	rest, atomic := name, false
	for _, prefix := range [...]string{"atomic_long_", "atomic64_", "atomic_"} {
		if rest, atomic = strings.CutPrefix(name, prefix); atomic {
			break
		}
	}
	if atomic {
		if f, ok := cAtomicOnly()[rest]; ok {
			return f, true
		}
	}
	for _, o := range cOrders {
		base, ok := strings.CutSuffix(rest, o.suffix)
		if !ok || !atomic && !slices.Contains(cBare, base) {
			continue
		}
		if f, ok := cOrdered()[base]; ok {
			f.tags |= o.tags
			f.wtags = o.wtags
			return f, true
		}
	}
	return cFunc{}, false
}
