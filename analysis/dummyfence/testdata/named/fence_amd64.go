package named

import "runtime"

func storeFence() { runtime.KeepAlive(nil) }

func mfence() { runtime.KeepAlive(nil) } // want mfence:"no fence" `mfence is no fence: runtime.KeepAlive stops the compiler only, and amd64 needs an instruction`
