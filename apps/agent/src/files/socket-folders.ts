/**
 * The folders for the sockets of session hosts: private to the user, and with short paths. The same home always has the same
 * ones, so that a new daemon finds the hosts of the previous one.
 */
import os from 'node:os'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { type AgentHome, homeMark } from './agent-home'
import { isInside } from './is-inside'
import { makePrivate } from './private-folder'
import { hasRoomForSocket } from './socket-path'

export class SocketFolders {
  /** The first that can be made is used. */
  readonly all: readonly string[]

  /** Those outside of the agent's home, which sandboxes hide from programs. */
  private readonly outsideHome: readonly string[]

  /** Throws `STATE_UNWRITABLE` where none can be made. */
  constructor(home: AgentHome, env: Record<string, string | undefined>) {
    const mark = homeMark(home)
    this.all = [
      ...(env.XDG_RUNTIME_DIR ? [path.join(env.XDG_RUNTIME_DIR, `roundhouse-${mark}`)] : []),
      path.join(home.state, 'run'),
      path.join(os.tmpdir(), `roundhouse-${os.userInfo().uid}-${mark}`),
    ].filter(hasRoomForSocket)
    this.outsideHome = this.all.filter((folder) => !isInside(folder, home.home))
    this.current()
  }

  /** For the sockets that programs of sessions use. Null where none can be made. */
  outside(): string | null {
    return this.outsideHome.find(makePrivate) ?? null
  }

  /** Made again where it is gone: systemd removes XDG_RUNTIME_DIR at the last logout, and cleaners empty /tmp. */
  current(): string {
    const found = this.all.find(makePrivate)
    if (found !== undefined) return found
    throw new CodedError(
      'STATE_UNWRITABLE',
      'There is no short, private folder for sockets. Set XDG_RUNTIME_DIR to one.',
    )
  }
}
