/** Files that must be on the disk, and not only on their way there, before anything else happens. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'

/** A new file is only safe once the folder that names it is. */
export function fsyncFolder(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

export function writeAndFsync(path: string, text: string): void {
  const descriptor = openSync(path, 'w', 0o600)
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
