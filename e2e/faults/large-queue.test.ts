/** A queue that is larger than a frame of the link: its session goes on, and no other one of the machine feels it. */
import { wholeText } from '@roundhouse/hub-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventsOf, tableOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

const lostLinks = () => rig.system.agent.output.split('connection was lost').length - 1
const messagesOf = (sessionId: string) =>
  eventsOf(tableOf(rig.system.hub.dataDir, sessionId)).filter(({ kind }) => kind === 'user_message')

it.each([
  ['40 prompts of 26 KB', 40, 26_000],
  ['one prompt of nearly 1 MiB', 1, 1_040_000],
])(
  '[LINK-5] [CMD-5] behind a question %s wait: the answer arrives, all of them run, the neighbour too',
  async (_what, count, bytes) => {
    const session = await rig.begin([{ tool: 'Bash', input: { command: 'echo a' } }, { text: 'Over.' }])
    const neighbour = await rig.begin([{ text: 'Here.' }])
    const ask = await rig.asked(session)
    const before = lostLinks()
    for (let n = 0; n < count; n++) {
      const text = `${'x'.repeat(bytes)} ${scriptOf([{ text: `Queued ${n}.` }])}`
      await rig.rest.prompt(session, { promptId: `${session}-${n}`, text })
    }
    const waiting = await until('the queue', async () => {
      const { queue, commands } = (await rig.rest.snapshot(session, 1)).session
      return queue.length === count && commands.every(({ state }) => state === 'accepted') && queue
    })
    expect(waiting.every(({ text, cut }) => cut === true && text.length < bytes)).toBe(true)
    await rig.prompt(neighbour, [{ text: 'Next door.' }])
    await until('the neighbour to answer', () => messagesOf(neighbour).length === 2)

    await rig.allow(ask)
    await until('all of them to run', () => messagesOf(session).length === count + 1)
    await rig.agree(session)
    await rig.agree(neighbour)
    expect(lostLinks()).toBe(before)
  },
)

it('[CMD-5.2] [VIEW-9] a queue that is full says so, and keeps what it has: what waits cannot be dismissed, and what was refused can', async () => {
  const session = await rig.begin([{ tool: 'Bash', input: { command: 'echo a' } }, { text: 'Over.' }])
  const ask = await rig.asked(session)
  const ids: string[] = []
  for (let n = 0; n < 9; n++) {
    const text = `${'x'.repeat(1_000_000)} ${scriptOf([{ text: `Queued ${n}.` }])}`
    ids.push((await rig.rest.prompt(session, { promptId: `${session}-${n}`, text })).commandId)
  }
  const refused = await until('a refusal', async () => {
    const { commands } = (await rig.rest.snapshot(session, 1)).session
    return commands.find(({ state }) => state === 'refused')
  })
  expect(refused).toMatchObject({ commandId: ids.at(-1), error: { code: 'RATE_LIMITED' } })
  const written = `${'x'.repeat(1_000_000)} ${scriptOf([{ text: 'Queued 8.' }])}`
  expect(refused).toMatchObject({ text: written.slice(0, 2_000), textLength: written.length })
  expect(await wholeText(rig.rest, session, refused)).toBe(written)
  const [waiting = ''] = ids
  const notFailed = { code: 'NOT_FOUND', message: 'The session has no failed command with this id.' }
  await expect(rig.rest.dismissCommand(session, waiting)).rejects.toMatchObject(notFailed)
  await rig.rest.dismissCommand(session, refused.commandId)
  const { commands } = (await rig.rest.snapshot(session, 1)).session
  expect(commands.map(({ commandId }) => commandId)).toEqual(expect.arrayContaining(ids.slice(1, 8)))
  expect(commands.map(({ commandId }) => commandId)).not.toContain(refused.commandId)
  await rig.allow(ask)
  await until('the others to run', () => messagesOf(session).length === 9)
  await rig.agree(session)
})
