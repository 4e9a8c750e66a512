package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// unreadable is the failure of a file that cannot be read.
func unreadable(what, path string, err error) *failure {
	return usagef("reading %s: %s: %w", what, path, cause(err)).hint("%s", fileHint(path, err))
}

// unwritable is the failure of a file that cannot be written.
func unwritable(path string, err error) *failure {
	return usagef("writing %s: %w", path, cause(err)).hint("%s", writeHint(path, err))
}

// cause is an error of the system without the path, which would be told twice, or be a temporary one.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// fileHint says what to do about a file that cannot be read.
func fileHint(path string, err error) string {
	dir := filepath.Dir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isDir(dir):
		return fmt.Sprintf("the directory %s does not exist", dir)
	case errors.Is(err, fs.ErrNotExist):
		return "check the name: there is no such file in " + called(dir)
	case errors.Is(err, fs.ErrPermission):
		return "check its permissions, and those of its directory: you may not read it"
	case errors.Is(err, syscall.EISDIR):
		return "name a file in it"
	case errors.Is(err, syscall.ENOTDIR):
		return dir + " is a file and no directory"
	}
	return "check the path and its permissions"
}

// writeHint says what to do about a file that cannot be written.
func writeHint(path string, err error) string {
	dir := filepath.Dir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isDir(dir):
		return fmt.Sprintf("the directory %s does not exist; create it first", dir)
	case errors.Is(err, syscall.EISDIR):
		return fmt.Sprintf("name a file in it, such as %s", filepath.Join(path, "NAME"))
	case errors.Is(err, syscall.ENOTDIR):
		return dir + " is a file and no directory; name a file in a directory"
	case errors.Is(err, fs.ErrPermission):
		return "you may not write there; name a file in a directory of yours"
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full; make room, or name a file on another"
	}
	return fmt.Sprintf("see that a file can be made in %s, or name one in another directory", called(dir))
}

// called is the name of a directory in a sentence.
func called(dir string) string {
	if dir == "." {
		return "this directory"
	}
	return dir
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
