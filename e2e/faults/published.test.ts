/** What a session publishes becomes a message of the bus behind the ack, on the built hub, which dies between the two. */
import type { BusMessage } from '@roundhouse/backend-types'
import type { HubRest } from '@roundhouse/hub-client'
import { expect, it } from 'vitest'
import { until } from '../support/common/until'
import { PlayedMachine } from '../support/rigs/played-machine'
import { hubOfFile } from '../support/wire/hub-of-file'
import { envelope, runningState } from '../support/wire/raw-events'

const { hub, web } = hubOfFile('published')
const LINES = 60

async function everything(rest: HubRest): Promise<BusMessage[]> {
  const all: BusMessage[] = []
  for (let after = 0; ; ) {
    const page = await rest.call('listMessages', { query: { after, limit: 50 } })
    all.push(...page.items)
    after = page.next
    if (page.isEnd) return all
  }
}

it('[BUS-2.1] [BUS-2.2] [BUS-2.4] a hub that dies behind an ack gives each published event one offset, in order and without a hole', async () => {
  const { rest, close } = await hub.client()
  const machine = await PlayedMachine.join(web, (await rest.makeEnrollmentToken({})).token)
  const settings = { backend: 'scripted', workDir: '/code' }
  const { sessionId, commandId } = await rest.createSession({ agentId: machine.agentId, settings, prompt: 'Go.' })
  const logId = `log_${sessionId}`
  const said = Array.from({ length: LINES }, (_, i) => ({
    kind: 'published',
    id: `m-${i}`,
    topic: `worker.${sessionId}.event`,
    schema: 'worker-event-v1',
    data: { kind: 'LOG', severity: 'info', message: `line ${i}` },
  }))
  const events = [
    { kind: 'session_created', commandId, logId, settings, realWorkDir: '/code' },
    { kind: 'session_started', procId: 'p', backendSessionId: 'b', resumed: false },
    ...said,
  ].map((event, i) => envelope(event, { seq: i + 1 }))
  const last = events.length

  let acked = 0
  /** What a machine says first of a session, on each connection. */
  const report = async () => {
    const session = { sessionId, logId, firstRetained: 1, last, acked, ackedEpoch: '' }
    await machine.ask('sessions', { last: true, sessions: [session] })
    machine.tell('state', runningState(sessionId, { atSeq: acked }))
  }
  await report()
  let deaths = 0
  while (acked < last) {
    const lot = events.slice(acked, acked + 3)
    const isTaken = await machine.ask('events', { sessionId, logId, events: lot }).then(
      () => true,
      () => false,
    )
    // Of each lot, half of the time the hub dies with the ack on its way or just told.
    if (isTaken) acked += lot.length
    if (isTaken && acked % 2 === 0) continue
    await hub.kill()
    deaths += 1
    await hub.start()
    await until('the hub to take the machine', async () => {
      await machine.connect()
      await report()
      return true
    })
  }

  const lineOf = ({ data }: BusMessage) => data.message
  const ofSession = async () => (await everything(rest)).filter(({ topic }) => topic === `worker.${sessionId}.event`)
  await until('the bus to have all', async () => (await ofSession()).length >= LINES)
  const all = await everything(rest)
  expect((await ofSession()).map(lineOf)).toEqual(said.map(({ data }) => data.message))
  expect(all.map(({ offset }) => offset)).toEqual(all.map((_, i) => i + 1))
  expect(deaths).toBeGreaterThan(8)
  machine.close()
  close()
}, 180_000)
