package user

import "bodies"

func use() { bodies.Full() }
