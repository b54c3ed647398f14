/** Removes all that this machine holds of one session, in an order that a crash at any step cannot undo (SES-3). */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { failpoint } from '@roundhouse/failpoint'
import { removeScratch } from '../../files/scratch-folder'
import { socketPathFor } from '../../host-contract/paths'
import type { SessionIndex } from '../logs/session-index'
import type { SessionLogs } from '../logs/session-logs'
import { type Erasures, eraseFolder } from './erasures'
import type { HostPlaces } from './host-surroundings'
import type { SessionErasing } from './session/hosted-session-ports'

export class SessionEraser implements SessionErasing {
  constructor(
    private readonly places: Pick<HostPlaces, 'sockets' | 'scratchDir'>,
    private readonly index: Pick<SessionIndex, 'remove' | 'flush'>,
    private readonly logs: Pick<SessionLogs, 'erased' | 'folder'>,
    private readonly erasures: Erasures,
    /** Nothing of it is left on the disk. */
    private readonly gone: (sessionId: string) => void,
  ) {}

  begin(sessionId: string): void {
    this.erasures.begin(sessionId)
  }

  async erase(sessionId: string): Promise<void> {
    const { places, index, logs } = this
    logs.erased(sessionId)
    // First, and on the disk: what is remembered and not there counts as lost, and would come back.
    failpoint('agent.erase')
    index.remove(sessionId)
    index.flush()
    failpoint('agent.erase')
    await eraseFolder(logs.folder(sessionId))
    for (const folder of places.sockets.all) rmSync(socketPathFor(folder, sessionId), { force: true })
    removeScratch(join(places.scratchDir(), sessionId))
    failpoint('agent.erase')
    this.erasures.done(sessionId)
    this.gone(sessionId)
  }
}
