/**
 * How soon what happens reaches people's addresses and chats: from a published message to each of 20 webhooks, first while all answer
 * and then while one hangs; and from a permission request in the session's log to its message with buttons in a Telegram chat. Receivers
 * and the stand-in of the Bot API are on loopback. Prints one line of JSON. All ends have one clock.
 */
import os from 'node:os'
import { type Account, BotApi } from '@roundhouse/bot-api-testkit'
import { readAll } from '../e2e/support/accounts/ledger'
import { owner } from '../e2e/support/processes/hub-process'
import { type Rig, startRig } from '../e2e/support/rigs/rig'
import { hangs, WebhookReceiver } from '../e2e/support/wire/webhook-receiver'
import { quiet } from './lib/machine.mjs'
import { percentiles, sleep, waitFor } from './lib/util.mjs'
import { pace } from './scenarios/support.mjs'

const HOOKS = 20
/** Messages a second. Each goes to all webhooks, and the hub sends 200 a second in all. */
const RATE = 4
const SECONDS = 30
const LATE_MS = 20_000
const ASKS = 20
/** Before each decision. A chat gets one message a second in the long run (docs/chat.md), and each request is a message and its edit. */
const DECIDES_AFTER_MS = 3_000
const chat: Account = { id: 71, first_name: 'Ana' }
const channel = { channel: 'telegram' }

interface Phase {
  latMs: object
  missing: number
  doubled: number
  outOfOrder: number
  load: number
}

/** Publishes as the owner, and compares what each receiver got with what was sent. */
async function phase(rig: Rig, peerId: string, receivers: readonly WebhookReceiver[], label: string): Promise<Phase> {
  const sentAt = new Map<string, number>()
  const times: number[] = []
  const heard = receivers.map(() => [] as string[])
  for (const [i, receiver] of receivers.entries())
    receiver.answer = (response) => {
      const words = receiver.arrived.at(-1)?.words ?? ''
      const at = sentAt.get(words)
      if (at !== undefined) {
        times.push(performance.now() - at)
        heard[i]?.push(words)
      }
      response.writeHead(204).end()
    }
  const load = os.loadavg()[0] ?? 0
  const publish = (n: number) => {
    const message = `${label} ${n}`
    sentAt.set(message, performance.now())
    const data = { kind: 'LOG', severity: 'info', message }
    const envelope = { v: 1, id: `${label}-${n}`, topic: `worker.${peerId}.event`, schema: 'worker-event-v1', data }
    void rig.rest.call('publishMessages', { body: { messages: [envelope] } })
  }
  await pace(RATE, SECONDS, [publish])
  const want = [...sentAt.keys()]
  await waitFor(() => heard.every((words) => words.length >= want.length), LATE_MS, 'all messages').catch(() => {})
  return {
    latMs: percentiles(times),
    missing: heard.reduce((sum, words) => sum + want.filter((word) => !words.includes(word)).length, 0),
    doubled: heard.reduce((sum, words) => sum + words.length - new Set(words).size, 0),
    outOfOrder: heard.filter((words) => words.some((word, i) => i > 0 && order(word) < order(words[i - 1] ?? '')))
      .length,
    load,
  }
}

const order = (words: string) => Number(words.split(' ')[1])

async function webhooks(rig: Rig) {
  const peerId = `u_${(await rig.rest.call('getMe')).userId}`
  const receivers: WebhookReceiver[] = []
  for (let i = 0; i < HOOKS; i++) {
    const receiver = await WebhookReceiver.start()
    receivers.push(receiver)
    await rig.rest.call('createWebhook', { body: { url: receiver.url(), topics: ['worker.**'] } })
  }
  await phase(rig, peerId, receivers.slice(), 'warm')
  const calm = await phase(rig, peerId, receivers, 'calm')
  const [hanging, ...others] = receivers
  if (hanging) hanging.answer = hangs
  const beside = await phase(rig, peerId, others, 'beside')
  for (const receiver of receivers) await receiver.close()
  return { calm, beside }
}

async function permissions(rig: Rig, api: BotApi) {
  await rig.rest.call('setChannelBot', { id: channel, body: { token: api.token } })
  const proof = { password: owner.password }
  const { code } = await rig.rest.call('createChannelCode', { id: channel, body: proof })
  api.writes(chat, `/start ${code}`)
  await api.until('the link', () => api.texts(chat).length > 0)
  await rig.rest.call('allowApprovals', { id: channel, body: proof })
  const steps = Array.from({ length: ASKS }, (_, i) => ({ tool: 'Bash', input: { command: `echo ${i} > asked.txt` } }))
  const sessionId = await rig.begin(steps)
  await rig.rest.rename(sessionId, { title: 'Asks' })
  api.writes(chat, '/sessions')
  const buttons = () => api.shown(chat).at(-1)?.buttons ?? []
  await api.until('the list', () => buttons().some(({ text }) => text.startsWith('Asks')))
  api.pressesButton(chat, buttons().find(({ text }) => text.startsWith('Asks'))?.text ?? '')
  const offers = () => api.shown(chat).filter(({ text }) => text.includes('asked.txt') && text.startsWith('Permission'))
  const load = os.loadavg()[0] ?? 0
  for (let i = 0; i < ASKS; i++) {
    await api.until(`request ${i}`, () => offers().length > i && (offers().at(-1)?.buttons.length ?? 0) > 0, 60_000)
    await sleep(DECIDES_AFTER_MS)
    api.pressesButton(chat, 'Allow')
  }
  const asked = (await readAll(rig.rest, sessionId)).filter(({ body }) => body.includes('"permission_requested"'))
  const shown = offers()
  // The first one waited for the chat to enter the session.
  const times = asked.slice(1).map(({ at }, i) => (shown[i + 1]?.at ?? 0) - at)
  return { latMs: percentiles(times), asks: asked.length, load }
}

const api = await BotApi.start()
const rig = await startRig({
  hubEnv: { ROUNDHOUSE_TELEGRAM_API: api.url, ROUNDHOUSE_OUTBOUND_NETWORKS: '127.0.0.0/8' },
})
let result: object
try {
  await quiet({ maxWait: 10_000 })
  result = { hooks: await webhooks(rig), chat: await permissions(rig, api) }
} catch (error) {
  result = { error: String(error) }
} finally {
  await rig.dispose()
  await api.stop()
}
console.log(JSON.stringify(result))
process.exit()
