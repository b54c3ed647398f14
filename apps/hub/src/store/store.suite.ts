/**
 * What every store must do, in sentences, through the ports of the core and nothing else. `store.test.ts` names the stores.
 * What belongs to one file format (migrations, indexes, a full disk, damage) is told beside that store.
 */
import { describe } from 'vitest'
import { StoreContext, type StorePlace } from '../testing/store-context'
import { appendsSuite } from './appends.suite'
import { channelsSuite } from './channels.suite'
import { readsSuite } from './reads.suite'
import { registersSuite } from './registers.suite'
import { sessionsSuite } from './sessions.suite'
import { setupSuite } from './setup.suite'
import { webhooksSuite } from './webhooks.suite'

export function storeSuite(name: string, newPlace: () => Promise<StorePlace>): void {
  describe(name, () => {
    const context = new StoreContext(newPlace)
    sessionsSuite(context)
    registersSuite(context)
    appendsSuite(context)
    setupSuite(context)
    channelsSuite(context)
    readsSuite(context)
    webhooksSuite(context)
  })
}
