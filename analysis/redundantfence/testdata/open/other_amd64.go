package open

func init() {
	n.AddFull(1)
	onOneArchitecture()
}
