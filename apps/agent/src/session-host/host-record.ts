/** `host.json`: who this host is and which backends it started, for whoever finds the session after it died. */
import { writeDurably } from '../files/write-durably'
import { HOST_MARK, type HostRecord } from '../host-contract/launch-spec'
import { HOST_PROTOCOL } from '../host-contract/messages'
import { identify } from '../processes/identity'

export class HostRecordFile {
  private record: HostRecord

  constructor(
    private readonly path: string,
    sessionId: string,
    sock: string,
  ) {
    const self = identify(process.pid)
    if (!self) throw new Error('this process cannot be identified')
    const launch = process.env[HOST_MARK]
    const mark = launch === undefined ? {} : { launch }
    this.record = { version: 1, sessionId, ...self, ...mark, proto: HOST_PROTOCOL, sock, procs: [] }
    this.write()
  }

  get start(): string {
    return this.record.start
  }

  started(procId: string, pid: number | undefined): void {
    const identity = pid === undefined ? null : identify(pid)
    if (identity) this.change([...this.record.procs, { procId, ...identity }])
  }

  ended(procId: string): void {
    this.change(this.record.procs.filter((known) => known.procId !== procId))
  }

  private change(procs: HostRecord['procs']): void {
    this.record = { ...this.record, procs }
    this.write()
  }

  private write(): void {
    writeDurably(this.path, JSON.stringify(this.record))
  }
}
