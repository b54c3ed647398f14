/**
 * The folders for the sockets of session hosts: private to the user, and with short paths. The same home always has the same
 * ones, so that a new daemon finds the hosts of the previous one.
 */
import os from 'node:os'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { type AgentHome, homeMark } from './agent-home'
import { makePrivate } from './private-folder'
import { hasRoomForSocket } from './socket-path'

export class SocketFolders {
  /** The first that can be made is used. */
  readonly all: readonly string[]

  /** Throws `STATE_UNWRITABLE` where none can be made. */
  constructor(home: AgentHome, env: Record<string, string | undefined>) {
    const mark = homeMark(home)
    this.all = [
      ...(env.XDG_RUNTIME_DIR ? [path.join(env.XDG_RUNTIME_DIR, `roundhouse-${mark}`)] : []),
      path.join(home.state, 'run'),
      path.join(os.tmpdir(), `roundhouse-${os.userInfo().uid}-${mark}`),
    ].filter(hasRoomForSocket)
    this.current()
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
