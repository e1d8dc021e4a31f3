package named

func drain()
