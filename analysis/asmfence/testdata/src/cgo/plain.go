package cgo
