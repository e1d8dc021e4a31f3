package weakamd64

func barrierFull()
func release()
