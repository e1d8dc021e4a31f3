package asmfile

func one()
func two()
