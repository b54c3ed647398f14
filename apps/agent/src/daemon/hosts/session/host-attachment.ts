/** The connection with one session's host, and what the host last said of itself. `over` keeps any further host away. */
import { CodedError, type HostState } from '@roundhouse/backend-types'
import type { HostClient } from '../../../host-contract/client'
import type { HostDoor } from '../../../host-contract/host-door'
import type { LaunchedHost } from '../../../host-contract/launch'
import { hostListener } from './host-listener'
import { HostNotifier } from './host-notifier'
import type { HostedSessionPorts } from './hosted-session-ports'
import { type Reached, reachHost } from './reach-host'

type AttachmentPorts = Pick<HostedSessionPorts, 'policy' | 'records' | 'reports'>

export class HostAttachment {
  client: HostClient | null = null
  /** The host's own account, while it runs. */
  state: HostState | null = null
  /** Its host may start programs, or is being started for that. */
  place = false
  /** Nothing starts here any more: the daemon leaves, or the session is gone. */
  over: 'released' | 'erased' | null = null
  private notifier: HostNotifier | null = null

  /** `lost`: the attached host hung up; `clean` if it had said goodbye. */
  constructor(
    readonly sessionId: string,
    private readonly ports: AttachmentPorts,
    private readonly lost: (clean: boolean) => void,
  ) {}

  /** Nothing starts in a session that is over, even for an earlier caller. */
  requireThere(): void {
    if (this.over) throw new CodedError(this.over === 'erased' ? 'SESSION_NOT_FOUND' : 'AGENT_OFFLINE')
  }

  reach(door: HostDoor, host?: LaunchedHost): Promise<Reached> {
    const { sessionId, ports } = this
    const gone = (client: HostClient, clean: boolean) => {
      if (this.client === client) this.lost(clean)
    }
    const listener = hostListener(sessionId, ports, (state) => this.tellState(state), gone)
    return reachHost(sessionId, door, listener, host)
  }

  /** From now on this host is the session's. Throws where it is gone already, or none may be. */
  accept({ client, early }: Reached): void {
    if (early.closed) throw new CodedError('REQUEST_GONE', 'The session host is gone.')
    if (this.over) client.close()
    this.requireThere()
    const { place = true } = client.hello
    this.client = client
    this.place = place
    this.notifier = new HostNotifier(client, {
      policy: () => this.ports.policy(),
      acked: () => this.ports.records.acked(this.sessionId),
    })
  }

  /** Tells the accepted host what holds now, and reports what it said. */
  greet({ client, early }: Reached): void {
    const { logId, head, state } = client.hello
    this.tellPolicy()
    this.ports.records.head(this.sessionId, logId, Math.max(head, early.head))
    this.tellAcked()
    this.tellState(early.state ?? state)
  }

  /** The host keeps running. */
  detach(): void {
    const { client } = this
    this.left()
    client?.close()
  }

  /** Nobody is there any more. */
  left(): void {
    this.client = null
    this.place = false
    this.notifier = null
    this.state = null
  }

  /** What holds now, before anything else is said to the host. */
  tellPolicy(): void {
    this.notifier?.policy()
  }

  tellAcked(): void {
    this.notifier?.acked()
  }

  private tellState(state: HostState): void {
    this.state = state
    this.ports.reports.state(state)
    this.ports.reports.changed(this.sessionId)
  }
}
