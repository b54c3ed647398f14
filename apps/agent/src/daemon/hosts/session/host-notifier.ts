/**
 * Tells an attached host the current policy of the machine, and how far the hub has its log. Both are levels, so only
 * changes are sent, and of changes in quick succession only the last.
 */
import type { HostClient } from '../../../host-contract/client'
import type { AckedNews, HostPolicy } from '../../../host-contract/launch-spec'

export interface NotifierPorts {
  policy(): HostPolicy
  /** Null where the hub has taken nothing. */
  acked(): AckedNews | null
}

export class HostNotifier {
  private policyTold = ''
  private ackedTold = ''
  private telling = false

  constructor(
    private readonly client: HostClient,
    private readonly ports: NotifierPorts,
  ) {}

  /** Later commands to the host are checked against the current policy. */
  policy(): void {
    const policy = this.ports.policy()
    const told = JSON.stringify(policy)
    if (told === this.policyTold) return
    this.policyTold = told
    // A host that exited in the meantime reads it at its next start.
    this.client.policy(policy).catch(() => {})
  }

  acked(): void {
    const acked = this.ports.acked()
    const told = JSON.stringify(acked)
    if (!acked || this.telling || told === this.ackedTold) return
    this.ackedTold = told
    this.telling = true
    const done = () => {
      this.telling = false
      this.acked()
    }
    // A host that exited in the meantime gets it at its next start; an older host does not understand it.
    this.client.acked(acked).then(done, done)
  }
}
