/** `host.json`: who this host is and which backends it started, for whoever finds the session after it died. */
import { statSync } from 'node:fs'
import { folderId, identify, isRunning } from '@roundhouse/owner'
import { writeDurablyOrInPlace } from '../../files/write-durably'
import { readAs } from '../../host-contract/host-door'
import { HOST_MARK, HostRecord } from '../../host-contract/launch-spec'
import { HOST_PROTOCOL } from '../../host-contract/messages'

export class HostRecordFile {
  private record: HostRecord
  /** The file as it was written last. */
  private written = ''

  constructor(
    private readonly path: string,
    sessionId: string,
    sessionDir: string,
    sock: string,
  ) {
    const self = identify(process.pid)
    if (!self) throw new Error('this process cannot be identified')
    const launch = process.env[HOST_MARK]
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

  /** It was seen, and runs no more. False also where nobody can look now. */
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

  /** Before the program starts. The one before has taken away what it left. */
  mayLeave(folders: readonly string[]): void {
    this.change({ mayLeave: [...folders] })
  }

  /** Writes it again where this host listens elsewhere by now, or nobody can read the file. */
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
      // The next change writes it; meanwhile the session's processes are found by their mark.
      console.error('the record of this host could not be written', error)
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

/** Null also where nobody can look now: then it is found by its mark. */
function identifyNow(pid: number) {
  try {
    return identify(pid)
  } catch (error) {
    console.error(`process ${pid} cannot be identified now`, error)
    return null
  }
}
