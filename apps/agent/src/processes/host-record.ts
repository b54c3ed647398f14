/** `host.json` identifies this host and the backends that it started, for whoever finds the session after its death. */
import { statSync } from 'node:fs'
import { folderId, identify, isRunning } from '@roundhouse/owner'
import { writeDurablyOrInPlace } from '../files/write-durably'
import { readAs } from '../host-contract/host-door'
import { HOST_MARK, HostRecord } from '../host-contract/launch-spec'
import { HOST_PROTOCOL } from '../host-contract/messages'

export class HostRecordFile {
  private record: HostRecord
  /** The file's text as last written. */
  private written = ''

  constructor(
    private readonly path: string,
    sessionId: string,
    sessionDir: string,
    sock: string,
    launch = process.env[HOST_MARK],
  ) {
    const self = identify(process.pid)
    if (!self) throw new Error('this process cannot be identified')
    const mark = launch === undefined ? {} : { launch }
    const place = { folder: folderId(sessionDir), dir: sessionDir }
    this.record = { version: 1, sessionId, ...self, ...mark, ...place, proto: HOST_PROTOCOL, sock, procs: [] }
    this.write()
  }

  get start(): string {
    return this.record.start
  }

  started(procId: string, pid: number | undefined): void {
    const identity = pid === undefined ? null : identifyNow(pid)
    if (identity) this.change({ procs: [...this.record.procs, { procId, ...identity }] })
  }

  /** True if the process was seen and has ended. False if that cannot be checked now. */
  isGone(procId: string): boolean {
    const known = this.record.procs.find((one) => one.procId === procId)
    try {
      return known !== undefined && !isRunning(known)
    } catch {
      return false
    }
  }

  ended(procId: string): void {
    this.change({ procs: this.record.procs.filter((known) => known.procId !== procId) })
  }

  /** Called before the program starts. The previous program has removed what it left. */
  mayLeave(folders: readonly string[]): void {
    this.change({ mayLeave: [...folders] })
  }

  /** Writes the record again if this host listens elsewhere now or the file cannot be read. */
  keep(sock: string): void {
    if (sock === this.record.sock && this.isThere()) return
    this.record = { ...this.record, sock }
    this.tryToWrite()
  }

  private isThere(): boolean {
    const mark = markOf(this.path)
    if (mark !== '' && mark === this.written) return true
    const found = readAs(HostRecord, this.path)
    return found?.pid === this.record.pid && found.start === this.record.start
  }

  private change(news: Pick<HostRecord, 'procs'> | Pick<HostRecord, 'mayLeave'>): void {
    this.record = { ...this.record, ...news }
    this.tryToWrite()
  }

  private tryToWrite(): void {
    try {
      this.write()
    } catch (error) {
      // The next change writes it. Meanwhile the session's processes can be found by their mark.
      console.error('could not write the record of this host', error)
    }
  }

  private write(): void {
    writeDurablyOrInPlace(this.path, JSON.stringify(this.record))
    this.written = markOf(this.path)
  }
}

function markOf(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file)
    return [ino, size, mtimeMs].join(' ')
  } catch {
    return ''
  }
}

/** Also null if that cannot be checked now; then the process is found by its mark. */
function identifyNow(pid: number) {
  try {
    return identify(pid)
  } catch (error) {
    console.error(`process ${pid} cannot be identified now`, error)
    return null
  }
}
