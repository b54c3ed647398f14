/** Starts the host of one session where none runs. */
import { toCodedError } from '@roundhouse/backend-types'
import type { HostClient } from '../../../host-contract/client'
import type { Blockage } from './blockage'
import type { HostAttachment } from './host-attachment'
import type { HostRecovery } from './host-recovery'
import type { HostedSessionPorts, LaunchMode } from './hosted-session-ports'
import { requireUnmarked } from './run-through'

const START_TRIES = 3

export class HostStart {
  isUnderWay = false

  constructor(
    private readonly ports: Pick<HostedSessionPorts, 'processes' | 'records'>,
    private readonly attachment: HostAttachment,
    private readonly recovery: HostRecovery,
    private readonly blockage: Blockage,
  ) {}

  /** Where machines are slow, a host may have left before it was reached. */
  async run(withPlace: boolean, tries = START_TRIES): Promise<HostClient> {
    try {
      return await this.recovery.alone(() => this.once(withPlace))
    } catch (error) {
      if (tries <= 1 || toCodedError(error).code !== 'REQUEST_GONE') throw error
      return this.run(withPlace, tries - 1)
    }
  }

  private async once(withPlace: boolean): Promise<HostClient> {
    const { attachment, blockage, recovery } = this
    attachment.requireThere()
    if (blockage.reason && !recovery.stuck) await recovery.recover()
    if (attachment.client) return attachment.client
    if (blockage.reason) throw blockage.reason
    this.isUnderWay = true
    attachment.place = withPlace
    try {
      return await this.launch(withPlace)
    } catch (error) {
      requireUnmarked(attachment.sessionId, this.ports.records)
      throw error
    } finally {
      this.isUnderWay = false
      if (!attachment.client) attachment.place = false
    }
  }

  private launch(withPlace: boolean): Promise<HostClient> {
    const { sessionId } = this.attachment
    const { processes } = this.ports
    return processes.inStartTurn(sessionId, async () => {
      const mode: LaunchMode = { mode: 'run', ...(withPlace ? {} : { waits: true }), ...this.recovery.unwritten }
      const { door, host } = processes.launch(sessionId, mode)
      return this.recovery.attach(await this.attachment.reach(door, host))
    })
  }
}
