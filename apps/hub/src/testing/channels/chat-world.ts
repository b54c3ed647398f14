/** A hub with a channel, and people who use its bot: what `channel.suite.ts` runs on. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ApiTokenScope, SessionEvent } from '@roundhouse/backend-types'
import { type Channels, keepRunning } from '../../channels'
import type { Channel } from '../../channels/port/channel'
import type { Actor } from '../../core'
import { person } from '../bus-program'
import type { FakeAgent } from '../fake-agent'
import { liveSession } from '../scenario'
import { ana, TestHub } from '../test-hub'

/** What a person sees of a message. */
export interface Seen {
  text: string
  buttons: readonly string[]
  edits: number
}

/** The ways in which a service fails. */
interface ServiceFaults {
  goDown(): Promise<void>
  comeBack(): Promise<void>
  /** The next message is sent, and nobody hears of it. */
  loseAnswer(): void
  /** The next so many messages are asked to wait. */
  limit(messages: number): void
  /** How many were told to wait. */
  limited(): number
}

/** One chat service, and the people in it. Chats are named as the service names them. */
export interface ChatService extends ServiceFaults {
  /** What an operator sets. */
  readonly token: string
  readonly longest: number
  open(token: string, known: readonly string[]): Promise<Channel>
  writes(chat: string, text: string): void
  /** The button with this label on the newest message that has one. Returns what the person is told. */
  presses(chat: string, label: string): Promise<string>
  /** Presses a button that somebody else was shown. */
  pressesOf(chat: string, owner: string, label: string): Promise<string>
  writesInGroup(chat: string, text: string): void
  seen(chat: string): readonly Seen[]
  /** How often the bot left a group. */
  groupsLeft(): number
  until(what: string, test: () => boolean): Promise<void>
  stop(): Promise<void>
}

const kind = 'telegram' as const
const HOUR = 3_600_000
const people = ['fay', 'gus']

/** One hub for the tests of a suite. Each test has a world of its own on it: a machine, people and a bot. */
export class ChatHub {
  private constructor(
    readonly hub: TestHub,
    private readonly clock: { ahead: number },
  ) {}

  static async start(): Promise<ChatHub> {
    const clock = { ahead: 0 }
    const hub = await TestHub.start({ elapsed: () => performance.now() + clock.ahead })
    await person(hub, ana.userId, 'owner')
    return new ChatHub(hub, clock)
  }

  newWorld(service: ChatService): Promise<ChatWorld> {
    // So that no limit counts what an earlier test did.
    this.clock.ahead += HOUR
    return ChatWorld.start(this.hub, service)
  }

  stop(): Promise<void> {
    return this.hub.stop()
  }
}

let keys = 0

export class ChatWorld {
  now = 1_000_000
  readonly errors: unknown[] = []
  #channels: Channels | null = null

  private constructor(
    readonly hub: TestHub,
    readonly agent: FakeAgent,
    readonly service: ChatService,
  ) {}

  static async start(hub: TestHub, service: ChatService): Promise<ChatWorld> {
    const agent = await hub.connectedAgent('tower')
    const world = new ChatWorld(hub, agent, service)
    for (const name of people) await person(hub, name, 'operator', [agent.agentId])
    await hub.core.channels.bots.set(ana, kind, service.token, hub.key())
    world.run()
    return world
  }

  /** As a hub that starts: what it knows is in its file. */
  run(): void {
    this.#channels = keepRunning({
      kind,
      open: (token, known) => this.service.open(token, known),
      services: this.hub.core,
      pageOf: (sessionId) => `https://hub.example/sessions/${sessionId}`,
      now: Date.now,
      elapsed: () => this.now,
      onError: (error) => this.errors.push(error),
      // Time passes for whoever waits.
      wait: async (ms, signal) => {
        await delay(2, undefined, { signal }).catch(() => {})
        this.now += ms
      },
    })
  }

  /** Without a word: what was on its way is lost. */
  async halt(): Promise<void> {
    await this.#channels?.stop()
    this.#channels = null
  }

  /** Its people, their chats and its bot are gone. */
  async stop(): Promise<void> {
    await this.halt()
    const { prisma } = this.hub.store
    await prisma.user.deleteMany({ where: { id: { in: people } } })
    await prisma.machineShare.deleteMany({ where: { userId: { in: people } } })
    await prisma.channelBot.deleteMany()
    await prisma.channelCode.deleteMany()
    this.agent.close()
    await this.service.stop()
  }

  key = () => `world-key-${++keys}`

  signed(userId: string) {
    const credential = { kind: 'person', id: userId } as const
    const agents = new Set([this.agent.agentId])
    const actor: Actor = { userId, name: userId, role: 'operator', agents, credential }
    return { actor, loginId: 'l' }
  }

  async codeOf(userId: string): Promise<string> {
    const made = await this.hub.core.channels.links.makeCode(this.signed(userId), kind, { password: 'p' }, this.key())
    return made.code
  }

  /** Their chat acts for them. */
  async link(userId: string, chat: string): Promise<void> {
    this.service.writes(chat, `/link ${await this.codeOf(userId)}`)
    await this.until('the chat to be linked', chat, (texts) =>
      texts.some((text) => text.startsWith(`This chat now acts for ${userId}.`)),
    )
  }

  async allowApprovals(userId: string): Promise<void> {
    await this.hub.core.channels.links.allowApprovals(this.signed(userId), kind, { password: 'p' }, this.key())
  }

  async scopes(userId: string): Promise<readonly ApiTokenScope[]> {
    const link = await this.hub.store.reads.channels.linkOfPerson(kind, userId)
    return (await this.hub.store.reads.apiTokens.find(link?.tokenId ?? ''))?.scopes ?? []
  }

  /** A session of the machine, which this chat is in. */
  async inSession(chat: string, title = 'Fix the build'): Promise<string> {
    const sessionId = await liveSession(this.hub, this.agent)
    await this.hub.core.sessions.rename(ana, sessionId, { title })
    this.service.writes(chat, '/sessions')
    await this.untilShown('the list of sessions', chat, ({ buttons }) =>
      buttons.some((label) => label.startsWith(title)),
    )
    const list = this.service.seen(chat).findLast(({ buttons }) => buttons.length > 0)
    await this.service.presses(chat, list?.buttons.find((label) => label.startsWith(title)) ?? '')
    await this.until('the session to be chosen', chat, (texts) => texts.some((text) => text.includes(`“${title}”`)))
    return sessionId
  }

  emit(sessionId: string, ...events: SessionEvent[]): Promise<number> {
    return this.agent.emit(sessionId, ...events)
  }

  texts = (chat: string): string[] => this.service.seen(chat).map(({ text }) => text)

  until(what: string, chat: string, test: (texts: string[]) => boolean): Promise<void> {
    return this.service.until(`${what}; the chat has ${JSON.stringify(this.texts(chat))}`, () => test(this.texts(chat)))
  }

  untilShown(what: string, chat: string, test: (message: Seen) => boolean): Promise<void> {
    return this.service.until(what, () => this.service.seen(chat).some(test))
  }
}
