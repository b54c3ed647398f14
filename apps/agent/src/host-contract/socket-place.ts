/**
 * Where a host listens. A host may live for weeks, but its socket file may disappear: systemd removes XDG_RUNTIME_DIR at the
 * last logout, and cleaners empty /tmp. The host checks its file. If the file is gone or replaced, the host listens again, at
 * the same path or at the next one that it can create. Existing connections stay open.
 */
import { lstatSync, unlinkSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { makePrivate } from '../files/private-folder'
import { requireSocketPath } from './paths'

export class SocketPlace {
  /** Where it listens, or did last. */
  path: string
  private server: Server | null = null
  private file = ''
  private looking: Promise<unknown> = Promise.resolve()
  private closing = false
  /** Listeners that accept no new connection: each promise resolves when the last connection is over. */
  private readonly ends = new Set<Promise<void>>()

  /** `paths`: the first is the one that is meant. */
  constructor(
    private readonly paths: readonly [string, ...string[]],
    private readonly accept: (socket: Socket) => void,
  ) {
    this.path = paths[0]
  }

  listen(): Promise<void> {
    return this.listenAt(this.paths[0])
  }

  /** Only for the holder of the session's lock. */
  keep(): Promise<void> {
    const look = this.looking.then(() => this.look())
    this.looking = look
    return look
  }

  /** Resolves when every connection is over. */
  async close(): Promise<void> {
    this.closing = true
    await this.looking
    this.leave()
    await Promise.all(this.ends)
  }

  private async look(): Promise<void> {
    if (this.closing || (this.server && this.isThere())) return
    for (const path of this.paths) {
      try {
        if (makePrivate(dirname(path))) return await this.listenAt(path)
      } catch {
        // The next one, or this one at the next look.
      }
    }
  }

  private isThere(): boolean {
    const mark = markOf(this.path)
    return mark !== '' && mark === this.file
  }

  private async listenAt(path: string): Promise<void> {
    requireSocketPath(path)
    // First: to stop listening takes away whatever has the name of its file.
    this.leave()
    removeFile(path)
    const server = createServer(this.accept)
    await new Promise<void>((resolve, reject) => {
      server.on('error', reject)
      server.listen(path, resolve)
    })
    this.server = server
    this.path = path
    this.file = markOf(path)
  }

  private leave(): void {
    const { server } = this
    if (!server) return
    this.server = null
    const end = new Promise<void>((resolve) => server.close(() => resolve())).finally(() => this.ends.delete(end))
    this.ends.add(end)
  }
}

/** Tells a file from another of the same name; an inode's number alone is soon given again. Empty where there is none. */
function markOf(path: string): string {
  try {
    const { dev, ino, ctimeMs } = lstatSync(path)
    return [dev, ino, ctimeMs].join(' ')
  } catch {
    return ''
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
