/**
 * Telegram as a chat channel of the built hub, from outside: a stand-in of its Bot API on loopback, a real machine whose program
 * asks, the clocks of the product. They are turned between two tests, and in an outage. What the chat shows is what the stand-in
 * stored.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Account, BotApi, type ShownMessage } from '@roundhouse/bot-api-testkit'
import { createHubClient, type HubRest, signIn } from '@roundhouse/hub-client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freshFolder, repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { HubProcess, owner } from '../support/processes/hub-process'
import { turnedClock } from '../support/processes/turned-clock'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { RawWeb } from '../support/wire/raw-web'

const id = { channel: 'telegram' }
const proof = { password: owner.password }
const mark = path.join(freshFolder('telegram-marks'), 'sent')
/** While one of these files is there, the hub cannot read that. */
const unreadable = { bot: `${mark}.bot`, links: `${mark}.links` }
const ana: Account = { id: 71, username: 'ana', first_name: 'Ana' }
const petra: Account = { id: 72, first_name: 'Petra' }
const stranger: Account = { id: 99, first_name: 'Somebody' }
const GROUP = -4_000

const HOUR = 3_600_000
/** After so long a chat that was quiet takes several messages at once again. */
const QUIET = 10_000
const world = turnedClock()
let api: BotApi
let rig: Rig
beforeAll(async () => {
  api = await BotApi.start()
  rig = await startRig({
    hubEnv: { ...world.env, ROUNDHOUSE_TELEGRAM_API: api.url },
    hubFailpoints: {
      'hub.channel.sent': { do: 'kill', while: `${mark}.armed`, mark },
      'hub.channel.open': { do: 'full', while: unreadable.bot },
      // The second read at the start of a bot: the first one is before it asks for updates.
      'hub.channel.links': { do: 'full', at: 2, while: unreadable.links },
    },
  })
  await rig.rest.call('setChannelBot', { id, body: { token: api.token } })
})
beforeEach(() => world.pass(QUIET))
afterAll(async () => {
  await rig.dispose()
  await api.stop()
})

const written = (name: string) => path.join(rig.system.workDir, name)
const echoes = (name: string) => ({ tool: 'Bash', input: { command: `echo done > ${name}` } })
const says = (...texts: string[]) => texts.map((text) => ({ text }))
const own = (rest: HubRest = rig.rest) => rest.call('getOwnChannel', { id })
const shows = (what: string, test: (texts: string[]) => boolean, account = ana) =>
  api.until(`${what}: ${JSON.stringify(api.texts(account).slice(-12))}`, () => test(api.texts(account)), 60_000)
const showsLast = (words: string, account = ana) =>
  shows(words, (texts) => texts.at(-1)?.includes(words) ?? false, account)
const buttonOf = (label: string, account = ana): [ShownMessage, string] => {
  const message = api.shown(account).findLast(({ buttons }) => buttons.some(({ text }) => text.includes(label)))
  const button = message?.buttons.find(({ text }) => text.includes(label))
  if (!message || !button) throw new Error(`no button ${label}: ${JSON.stringify(api.shown(account).slice(-3))}`)
  return [message, button.data]
}
const told = async (press: string): Promise<string> => {
  await api.until('the press to be answered', () => api.answerTo(press) !== undefined)
  return api.answerTo(press) ?? ''
}
const press = (label: string, account = ana) => told(api.presses(account, ...buttonOf(label, account)))

async function link(account: Account, rest: HubRest): Promise<string> {
  const { code } = await rest.call('createChannelCode', { id, body: proof })
  api.writes(account, `/start ${code}`)
  await shows(
    'the chat to be linked',
    (texts) => texts.some((text) => text.startsWith('This chat now acts for')),
    account,
  )
  return code
}
/** Into the session of this script. Resolves to its id. */
async function enter(steps: readonly object[], title: string, account = ana): Promise<string> {
  const sessionId = await rig.begin(steps)
  await rig.rest.rename(sessionId, { title })
  api.writes(account, '/sessions')
  await shows(
    'the list',
    () =>
      api
        .shown(account)
        .at(-1)
        ?.buttons.some(({ text }) => text.startsWith(title)) ?? false,
    account,
  )
  await press(title, account)
  await shows('the session', (texts) => texts.some((text) => text.startsWith(`You are in “${title}”`)), account)
  return sessionId
}
const auditOf = async (object: string) =>
  (await rig.rest.audit({ limit: 500 })).items
    .filter((item) => item.object === object)
    .map(({ action, actorName, outcome }) => ({ action, actorName, outcome }))

describe('a chat of Telegram', () => {
  it('[CHAN-1.1] [CHAN-1.2] has a bot whose token is sealed: no file, line of the log or answer has it', async () => {
    const wrong = rig.rest.call('setChannelBot', { id, body: { token: `1:${'x'.repeat(30)}` } })
    await expect(wrong).rejects.toMatchObject({ code: 'CHANNEL_TOKEN_WRONG' })
    await until('the bot to be connected', async () => (await own()).state === 'connected')
    const { dataDir, output } = rig.system.hub
    const [, secret = ''] = api.token.split(':')
    const files = readdirSync(dataDir).filter((name) => name.startsWith('hub.db'))
    expect(files.length).toBeGreaterThan(0)
    for (const name of files) expect(readFileSync(path.join(dataDir, name)).includes(secret)).toBe(false)
    const answers = JSON.stringify([await own(), await rig.rest.call('getChannel', { id }), await rig.rest.audit()])
    expect([output.includes(secret), answers.includes(secret)]).toEqual([false, false])
  })

  it('[CHAN-2.2] is linked by a code, once, and by nobody who has none', async () => {
    api.writes(stranger, 'hello')
    await showsLast('only to people who have linked this chat', stranger)
    const code = await link(ana, rig.rest)
    expect((await own()).link).toMatchObject({ name: '@ana', approvals: false })
    api.writes(stranger, `/link ${code}`)
    await showsLast('That code is wrong, used, or too old', stranger)
    expect((await own()).link).toMatchObject({ name: '@ana' })
  })

  it('[CHAN-2.5] leaves a group after one line, and does nothing that is written there', async () => {
    api.writesInGroup(ana, GROUP, '/sessions')
    await api.until('the bot to leave', () => api.chats.left.includes(GROUP))
    expect(api.texts({ id: GROUP })).toEqual(['This bot works in private chats only.'])
  })

  it('[CHAN-4.3] [CHAN-5.4] starts a session like an earlier one, prompts it, and shows the answer while it grows', async () => {
    await rig.agree(await rig.begin(says('Before.')))
    api.writes(ana, '/new')
    await showsLast('Start a session with:')
    await press('scripted')
    await showsLast('The next message starts')
    const text = 'A word and another one. '.repeat(26).trim()
    api.writes(ana, scriptOf([{ text, chunk: 24, delayMs: 150 }]))
    await shows('a beginning', (texts) => text.startsWith(texts.at(-1) ?? '-') && texts.at(-1) !== text)
    await shows('the whole', (texts) => texts.at(-1) === text)
    const answers = api.shown(ana).filter((message) => message.text.startsWith('A word'))
    expect(answers).toHaveLength(1)
    expect(answers[0]?.edits).toBeGreaterThanOrEqual(2)
    api.writes(ana, scriptOf(says('And again.')))
    await showsLast('And again.')
    const [session] = (await rig.rest.sessions({ limit: 1 })).items
    expect(await auditOf(session?.sessionId ?? '')).toContainEqual({
      action: 'session.create',
      actorName: 'Ana (Telegram)',
      outcome: 'ok',
    })
  })

  it('[CHAN-3.2] [CHAN-6.3] decides nothing until its person allows it; then a button does, once, as that person', async () => {
    const sessionId = await enter([echoes('chat.txt'), { text: 'Written.' }], 'By button')
    await showsLast('Decide on the page:')
    expect(api.shown(ana).at(-1)?.buttons).toEqual([])
    await rig.rest.call('allowApprovals', { id, body: proof })
    await shows('the buttons', () => api.shown(ana).at(-1)?.buttons.length === 2)
    expect(api.texts(ana).at(-1)).toContain('"command": "echo done > chat.txt"')
    const { requestId } = await rig.asked(sessionId)
    const allow = buttonOf('Allow')
    const deny = buttonOf('Deny')
    expect(await told(api.presses(stranger, ...allow))).toContain('only to people who have linked')
    expect(existsSync(written('chat.txt'))).toBe(false)
    const first = api.presses(ana, ...allow)
    const second = api.presses(ana, ...allow)
    expect(await told(first)).toBe('Allowed.')
    expect(await told(second)).toContain('Nothing was changed. Allowed by Ana (Telegram).')
    await showsLast('Written.')
    expect(await told(api.presses(ana, ...deny))).toContain('Nothing was changed. Allowed by Ana (Telegram).')
    expect(readFileSync(written('chat.txt'), 'utf8')).toBe('done\n')
    const card = api.shown(ana).find(({ text }) => text.startsWith('Permission') && text.includes('chat.txt'))
    expect([card?.buttons, card?.text.endsWith('Allowed by Ana (Telegram).')]).toEqual([[], true])
    const decided = (await auditOf(requestId)).filter(({ outcome }) => outcome === 'ok')
    expect(decided).toEqual([{ action: 'permission.decide', actorName: 'Ana (Telegram)', outcome: 'ok' }])
  })

  it('[CHAN-6.2] has no button for a change of a file', async () => {
    await enter([{ tool: 'Write', input: { file_path: 'w.txt', content: 'x' } }], 'A change')
    await showsLast('This can only be decided on the page:')
    expect(api.shown(ana).at(-1)?.buttons).toEqual([])
  })

  it('[CHAN-6.5] decides nothing for a person whose machine was taken away between message and press', async () => {
    const web = new RawWeb(rig.system.hub)
    await web.asOwner()
    const email = await web.addPerson('petra', 'operator')
    const client = createHubClient(await signIn(rig.system.hub.url, email, owner.password))
    await link(petra, client.rest)
    await client.rest.call('allowApprovals', { id, body: proof })
    const sessionId = await enter([echoes('petra.txt')], 'For Petra', petra)
    await shows('the buttons', () => api.shown(petra).at(-1)?.buttons.length === 2, petra)
    const { requestId } = await rig.asked(sessionId)
    const allow = buttonOf('Allow', petra)
    const { userId } = await client.rest.call('getMe')
    client.close()
    await rig.rest.changePerson(userId, { agents: [] })
    expect(await told(api.presses(petra, ...allow))).not.toBe('Allowed.')
    expect((await rig.asked(sessionId)).requestId).toBe(requestId)
    expect(existsSync(written('petra.txt'))).toBe(false)
    await rig.rest.changePerson(userId, { disabled: true })
    api.writes(petra, '/status')
    await showsLast('only to people who have linked this chat', petra)
  })
})

describe('the recipe “chat” of docs/automation.md', () => {
  it('starts a session, says how it stands, and stops it', async () => {
    const page = readFileSync(path.join(repoRoot, 'docs/automation.md'), 'utf8')
    const [start = '', prompt = '', ...rest] = /# recipe: chat\n([\s\S]*?)\n```/.exec(page)?.[1]?.split('\n') ?? []
    api.writes(ana, start)
    await press('scripted')
    await showsLast('The next message starts')
    api.writes(ana, `${prompt} SCRIPT: ${JSON.stringify([{ text: 'Three fail, and', chunk: 8, hang: true }])}`)
    await shows('the answer', (texts) => texts.at(-1)?.startsWith('Three') ?? false)
    expect(rest).toEqual(['/status', '/stop'])
    for (const line of rest) api.writes(ana, line)
    await shows('how it stands', (texts) => texts.some((text) => text.includes('working, on ')))
    const sessionOf = async () => (await rig.rest.sessions({ limit: 1 })).items[0]
    expect((await sessionOf())?.title).toContain(prompt)
    await until('it to be stopped', async () => (await sessionOf())?.status.status === 'idle')
  })
})

describe('a service that fails', () => {
  const numbers = (prefix: string) => api.texts(ana).filter((text) => new RegExp(`^${prefix} \\d+$`).test(text))
  const upTo = (prefix: string, n: number) => Array.from({ length: n }, (_, at) => `${prefix} ${at + 1}`)
  /** Of the hub that runs. */
  const failures = () => rig.system.hub.output.split('a chat channel failed').length - 1
  const count = (prefix: string, to: number) => ({ count: { to, delayMs: 20, prefix } })

  it('[CHAN-5.6] gets nothing in the pause that it asks for, and then everything, once and in order', async () => {
    await enter(says('Here.'), 'Too many')
    await showsLast('Here.')
    const from = Date.now()
    api.limit(1, 2)
    api.writes(ana, scriptOf([count('slowly', 3)]))
    await shows('all', () => numbers('slowly').length === 3)
    expect(numbers('slowly')).toEqual(upTo('slowly', 3))
    expect(api.shown(ana).find(({ text }) => text === 'slowly 1')?.at).toBeGreaterThanOrEqual(from + 2_000)
  })

  it('[CHAN-4.1] [CHAN-5.1] [CHAN-1.4] is away for an hour in which the hub is killed, and reads its chats at the second try: nothing is lost or twice, the order is kept, and one poller asks', async () => {
    const sessionId = await enter(says('Here.'), 'Away')
    await showsLast('Here.')
    api.writes(ana, scriptOf([count('first', 2)]))
    await shows('a beginning', () => numbers('first').length === 2)
    await api.goDown()
    await rig.prompt(sessionId, [count('second', 4)])
    await rig.agree(sessionId)
    await rig.system.hub.kill()
    writeFileSync(unreadable.links, '')
    const { conflicts } = api
    await rig.system.hub.start()
    await until('the read to fail', () => failures() === 1)
    await until('the service to be missed', async () => (await own()).state === 'unreachable')
    world.turn(HOUR)
    api.writes(ana, scriptOf([count('third', 3)]))
    await api.comeBack()
    await shows('all', () => numbers('third').length === 3)
    expect([numbers('first'), numbers('second'), numbers('third')]).toEqual([
      upTo('first', 2),
      upTo('second', 4),
      upTo('third', 3),
    ])
    const order = api.texts(ana).filter((text) => /^(first|second|third) \d+$/.test(text))
    expect(order).toEqual([...upTo('first', 2), ...upTo('second', 4), ...upTo('third', 3)])
    const prompts = (await rig.agree(sessionId)).filter(({ body }) => JSON.parse(body).kind === 'user_message')
    expect(prompts).toHaveLength(4)
    expect([api.conflicts - conflicts, failures()]).toEqual([0, 1])
    rmSync(unreadable.links)
  })

  it('[CHAN-5.3] [CHAN-1.4] took a message of which the hub could not note that it is sent: it stands there once, also if the next hub cannot read its bot at first', async () => {
    const sessionId = await enter(says('Here.'), 'Killed')
    await rig.prompt(sessionId, [count('noted', 5)])
    await shows('a beginning', () => numbers('noted').length > 0)
    writeFileSync(`${mark}.armed`, '')
    await until('the hub to die', () => existsSync(mark))
    await rig.system.hub.kill()
    writeFileSync(unreadable.bot, '')
    await rig.system.hub.start()
    await until('the read to fail', () => failures() === 1)
    expect((await own()).state).toBe('off')
    rmSync(unreadable.bot)
    await shows('all', () => numbers('noted').length >= 5)
    expect((await own()).state).toBe('connected')
    expect(numbers('noted')).toEqual(upTo('noted', 5))
    await rig.agree(sessionId)
  })

  it('[CHAN-1.4] [STORE-5] is read by one hub: a second process on the folder does not start, and asks nothing', async () => {
    const reads = () => api.calls.filter(({ method }) => method === 'getMe').length
    const before = reads()
    const second = new HubProcess(rig.system.hub.dataDir, { ROUNDHOUSE_TELEGRAM_API: api.url })
    expect(await second.refusal()).not.toBe('')
    expect(reads()).toBe(before)
    expect((await own()).state).toBe('connected')
  })

  it('[CHAN-3.4] ends the link in the chat, and nothing more is told there', async () => {
    api.writes(ana, '/unlink')
    await showsLast('This chat is disconnected.')
    expect((await own()).link).toBeNull()
    api.writes(ana, '/sessions')
    await showsLast('only to people who have linked this chat')
  })
})
