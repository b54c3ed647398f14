/** Many pages of a long bus, asked for at once of the built hub: they cost whoever asked for them, and nobody else. */
import path from 'node:path'
import { toCodedError } from '@roundhouse/backend-types'
import { createHubClient, type HubRest, signIn } from '@roundhouse/hub-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inTheFile } from '../support/accounts/in-the-file'
import { freshFolder } from '../support/common/paths'
import { HubProcess, owner } from '../support/processes/hub-process'
import { RawWeb } from '../support/wire/raw-web'

const MESSAGES = 20_000
/** One is read, and 32 wait. The rest is refused, unless it comes when some of these are answered. */
const TAKEN = 33
const ASKED = 100

const folder = freshFolder('bus-pages')
const hub = new HubProcess(path.join(folder, 'hub'))

beforeAll(async () => {
  await hub.start()
  await hub.makeOwner()
  await hub.stop()
  inTheFile(path.join(hub.dataDir, 'hub.db'), (db) =>
    db
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO BusMessage (topic, fromPeer, messageId, fromName, publishedAt, storedAt, schema, data)
         SELECT 'system.peer.left', 'hub', 'm' || i, 'Roundhouse', '2026-01-01T00:00:00Z', ?, 'system-peer-left-v1', '{}' FROM n`,
      )
      .run(MESSAGES, Date.now()),
  )
  await hub.start()
})
afterAll(() => hub.stop())

/** Reads the whole bus and finds nothing. */
const lookFor = (rest: HubRest, what: string) =>
  rest.call('listMessages', { query: { pattern: `worker.${what}.event` } })

it('[BUS-7.11] are read one at a time and refused beyond a number, and the page of somebody else comes between them', async () => {
  const web = new RawWeb(hub)
  await web.asOwner()
  const email = await web.addPerson('reader', 'viewer')
  const one = await hub.client()
  const other = createHubClient(await signIn(hub.url, email, owner.password))
  const answered: string[] = []
  const noted = async (who: string, page: Promise<unknown>) => {
    const outcome = await page.then(
      () => 'ok',
      (error: unknown) => toCodedError(error).code,
    )
    answered.push(`${who} ${outcome}`)
  }

  const all = Array.from({ length: ASKED }, (_, n) => noted('one', lookFor(one.rest, `n${n}`)))
  all.push(noted('other', lookFor(other.rest, 'o')))
  await Promise.all(all)

  const count = (what: string) => answered.filter((line) => line === what).length
  expect(count('one ok')).toBeGreaterThanOrEqual(TAKEN)
  expect(count('one RATE_LIMITED')).toBeGreaterThan(0)
  expect([count('one ok') + count('one RATE_LIMITED'), count('other ok')]).toEqual([ASKED, 1])
  expect(answered.indexOf('other ok')).toBeLessThan(answered.lastIndexOf('one ok'))
  one.close()
  other.close()
})
