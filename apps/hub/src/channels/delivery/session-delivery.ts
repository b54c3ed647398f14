/** Tells a chat what its session says, event by event, and shows an answer while it is written (CHAN-5). */
import { CodedError, type ErrorCode, lastSeqOf, type StoredEvent } from '@roundhouse/backend-types'
import type { Actor, ChannelLinkRow, ChannelStep, LinkChange } from '../../core'
import { atRest, outsideAnySession } from '../places/chat-places'
import { newCard } from '../places/new-card'
import type { ChatServices } from '../port/chat-services'
import { saidOf } from '../words/event-words'
import type { ChatSender } from './chat-sender'
import { growingBlockOf } from './live-block'
import { planEvent, planLive, type Step } from './plan-step'

export interface SessionDeps {
  services: Pick<ChatServices, 'sessions' | 'viewerReads'>
  now: () => number
}

interface Chat {
  link: ChannelLinkRow
  actor: Actor
}

const PAGE = 20
/** The person may not see it any more, or nobody can. */
const left: ReadonlySet<ErrorCode> = new Set(['FORBIDDEN', 'SESSION_NOT_FOUND', 'SESSION_DELETED'])

export class SessionDelivery {
  readonly #sender: ChatSender
  readonly #deps: SessionDeps
  /** What the growing message says, so that an edit has something new. */
  #growing: { messageId: string; text: string } | null = null

  constructor(sender: ChatSender, deps: SessionDeps) {
    this.#sender = sender
    this.#deps = deps
  }

  /** False: the chat has everything. `live`: and more of what is being written can be shown. */
  async step(chat: Chat, isLive: boolean): Promise<boolean | 'live'> {
    const { link } = chat
    if (link.sessionId === null) return false
    const page = await this.#read(chat, link.sessionId)
    if (!page) return this.#leave(link)
    // The log was begun again.
    if (link.seq > page.head) return this.#move(link, { ...atRest, seq: page.head })
    const planned = this.#plan(chat, page.events)
    if (planned.place.seq !== link.seq || planned.place.blockId !== link.blockId)
      return this.#move(link, planOf(planned.place))
    if (planned.step) return this.#take(link, planned.step)
    return isLive && !page.more ? this.#live(link, link.sessionId) : false
  }

  async #read({ link, actor }: Chat, sessionId: string) {
    try {
      return await this.#deps.services.sessions.events(actor, sessionId, { after: link.seq, limit: PAGE })
    } catch (error) {
      if (error instanceof CodedError && left.has(error.code)) return null
      throw error
    }
  }

  /** Passes what is not told, up to the first step that is. */
  #plan({ link, actor }: Chat, events: readonly StoredEvent[]): { place: ChannelLinkRow; step: Step | null } {
    let place = link
    for (const event of events) {
      const to = lastSeqOf(event)
      while (place.seq < to) {
        const step = planEvent(place, { ...saidOf(event, actor), to }, this.#sender.messageLength)
        if (step.do !== 'move') return { place, step }
        place = { ...place, ...step.change }
      }
    }
    return { place, step: null }
  }

  async #leave(link: ChannelLinkRow): Promise<boolean> {
    const text = 'The session of this chat is not there any more, or you may not see it. Choose another one: /sessions.'
    return this.#sender.write({ place: { from: link, change: outsideAnySession }, replies: [{ text }] })
  }

  #move({ sessionId, seq }: ChannelLinkRow, change: LinkChange, more: ChannelStep = {}): Promise<boolean> {
    return this.#sender.write({ ...more, place: { from: { sessionId, seq }, change } })
  }

  async #live(link: ChannelLinkRow, sessionId: string): Promise<boolean | 'live'> {
    const block = growingBlockOf(this.#deps.services.viewerReads.openBlocks(sessionId))
    const step = block && planLive(link, block, this.#sender.messageLength)
    if (!step) return false
    const isSaid = step.do === 'edit' && this.#growing?.messageId === step.messageId && this.#growing.text === step.text
    if (isSaid) return false
    await this.#take(link, step)
    return 'part' in step.change ? 'live' : true
  }

  async #take(link: ChannelLinkRow, step: Step): Promise<boolean> {
    const { sessionId, seq } = link
    const from = { sessionId, seq }
    switch (step.do) {
      case 'move':
        return this.#move(link, step.change)
      case 'ask':
        return this.#move(link, step.change, {
          newCards: [newCard(link.linkId, sessionId ?? '', step.ask, this.#deps.now())],
        })
      case 'remove':
        await this.#sender.remove(link, step.messageId)
        return this.#move(link, step.change)
      case 'edit': {
        const isGone = (await this.#sender.edit(link, step.messageId, { text: step.text })) === 'gone'
        this.#growing = isGone ? null : { messageId: step.messageId, text: step.text }
        return this.#move(link, isGone ? { openMessage: null } : step.change)
      }
      case 'send': {
        const { text, part, blockId, grows, change } = step
        return this.#sender.send(link, { text }, { what: 'part', part, blockId, ...from }, (messageId) => {
          if (grows && messageId !== null) this.#growing = { messageId, text }
          return { place: { from, change: grows ? { ...change, openMessage: messageId } : change } }
        })
      }
    }
  }
}

const planOf = ({ seq, part, blockId, openMessage }: ChannelLinkRow): LinkChange => ({
  seq,
  part,
  blockId,
  openMessage,
})
