/**
 * Four records of one session for comparison: what the script wrote before it printed, the agent's log, the hub's
 * table, and what a page shows. Each is read by its own means, none through another.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { lastSeqOf, type SessionEvent, type StoredEvent } from '@roundhouse/backend-types'
import type { HubClient } from '@roundhouse/hub-client'
import Database from 'better-sqlite3'

/** One finished output or action of a program, in words that every record has for it. */
export type Block = string

/** What the script recorded as printed, in order: everything, or one session's part. The player itself writes and syncs it. */
export function truthOf(file: string, of?: readonly SessionEvent[]): Block[] {
  const own = of?.flatMap((event) => (event.kind === 'session_started' ? [event.backendSessionId] : []))
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text.split('\n').flatMap((line) => {
    try {
      const said = JSON.parse(line) as { backendSessionId: string; output: Said }
      return own && !own.includes(said.backendSessionId) ? [] : (blockOf(said.output) ?? [])
    } catch {
      // Torn by a kill during the write, so it was not printed; the next player writes it completely.
      return []
    }
  })
}

export interface Row {
  seq: number
  hash: string
  body: string
}

/** The agent's log, read directly from its file. */
export function logOf(sessionFolder: string): Row[] {
  return reading(path.join(sessionFolder, 'log.db'), (db) =>
    db.prepare<[], Row>('SELECT seq, hash, body FROM events ORDER BY seq').all(),
  )
}

/** The position of the agent's log, whether a turn has begun at all, and whether one is running. */
export function progressOf(sessionFolder: string): { head: number; inTurn: boolean; begun: boolean } {
  const turns = "SELECT kind FROM events WHERE kind IN ('turn_started', 'turn_completed') ORDER BY seq DESC LIMIT 1"
  return reading(path.join(sessionFolder, 'log.db'), (db) => ({
    head: db.prepare<[], { head: number | null }>('SELECT max(seq) AS head FROM events').get()?.head ?? 0,
    inTurn: db.prepare<[], { kind: string }>(turns).get()?.kind === 'turn_started',
    begun: db.prepare("SELECT 1 FROM events WHERE kind IN ('turn_started', 'gap') LIMIT 1").get() !== undefined,
  }))
}

/** When the session's host accepted a command, by the host's own clock. */
export function takenAt(sessionFolder: string, commandId: string): number {
  const sql = 'SELECT at FROM inbox WHERE commandId = ?'
  return Number(reading(path.join(sessionFolder, 'log.db'), (db) => db.prepare(sql).pluck().get(commandId)))
}

/** Sessions of which the agent's own index does not know that the hub has everything. */
export function unackedOf(agentHome: string): number {
  const sql = 'SELECT count(*) AS n FROM sessions WHERE changed = 1 OR acked < last'
  return reading(path.join(agentHome, 'state/index.db'), (db) => db.prepare<[], { n: number }>(sql).get()?.n ?? 0)
}

/** The hub's table, read directly from its file. */
export function tableOf(hubDataDir: string, sessionId: string): Row[] {
  const sql =
    'SELECT e.seq, lower(hex(e.hash)) AS hash, e.body FROM Event e JOIN Session s ON s.pk = e.sessionPk WHERE s.sessionId = ? ORDER BY e.seq'
  return reading(path.join(hubDataDir, 'hub.db'), (db) => db.prepare<[string], Row>(sql).all(sessionId))
}

/** The same over REST, page by page, as another program would read it. */
export async function readAll(rest: HubClient['rest'], sessionId: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const page = await rest.events(sessionId, { after: lastSeqOf(events.at(-1) ?? { seq: 0 }), limit: 1_000 })
    events.push(...page.events)
    if (page.events.length === 0) return events
  }
}

export const eventsOf = (rows: readonly Row[]): SessionEvent[] => rows.map(({ body }) => JSON.parse(body))

/** The finished outputs of programs in the log, without the host's own words and without blocks that were cut short. */
export function blocksOf(events: readonly SessionEvent[]): Block[] {
  return events.flatMap((event) => {
    const hostsOwn = ('partial' in event && event.partial) || ('interrupted' in event && event.interrupted)
    return hostsOwn ? [] : (blockOf(event) ?? [])
  })
}

/** A text as a person reads it. `cut`: the program ended while it wrote. */
export interface Text {
  text: string
  cut: boolean
}

export function textsOf(events: readonly SessionEvent[]): Text[] {
  return events.flatMap((event) => {
    if (event.kind !== 'assistant_text' || typeof event.text !== 'string') return []
    return [{ text: event.text.trim(), cut: event.partial === true }]
  })
}

/** What the page shows, and how often two texts were in the wrong order or one was shown twice. */
export interface Shown {
  /** Every item of the transcript in order: number, kind and text. */
  items: string[]
  texts: Text[]
  wrong: number
}

/** Read from the page's own elements, while scrolling from the end to the beginning and back. */
export async function shownBy(page: Page): Promise<Shown> {
  return page.evaluate(async (limitMs) => {
    const list = document.querySelector('[role=log]') as HTMLElement
    const cutWords = 'Cut short here: the program ended while it wrote this.'
    const all = new Map<number, string>()
    const texts = new Map<number, { text: string; cut: boolean }>()
    let wrong = 0
    const end = performance.now() + limitMs
    const items = () => [...list.querySelectorAll<HTMLElement>('[data-item=assistant]')]
    const where = () => `${list.scrollTop} px down, at ${list.querySelector<HTMLElement>('[data-seq]')?.dataset.seq}`
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    // An element that is placed and not drawn yet has no text.
    const drawn = async () => {
      for (await frame(); items().some((item) => item.innerText === ''); await frame()) {
        if (performance.now() > end) throw new Error(`items are not drawn ${where()}`)
      }
    }
    const collect = async () => {
      await drawn()
      for (const item of list.querySelectorAll<HTMLElement>('[data-seq]')) {
        all.set(Number(item.dataset.seq), `${item.dataset.item} ${item.innerText.trim()}`)
      }
      let last = 0
      for (const item of items()) {
        const seq = Number(item.dataset.seq)
        if (seq <= last) wrong += 1
        last = seq
        const shown = item.innerText.trim()
        const cut = shown.endsWith(cutWords)
        texts.set(seq, { text: (cut ? shown.slice(0, -cutWords.length) : shown).trim(), cut })
      }
    }
    const scroll = async (share: number, there: () => boolean) => {
      for (await collect(); !there(); await collect()) {
        if (performance.now() > end)
          throw new Error(`the transcript has no end: ${texts.size} texts were seen, now ${where()}`)
        // Only a reader leaves the end; this imitates one.
        if (share < 0) list.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, bubbles: true }))
        list.scrollTop += list.clientHeight * share
      }
    }
    list.scrollTop = list.scrollHeight
    await scroll(-0.7, () => list.scrollTop === 0 && list.querySelector('[data-seq="1"]') !== null)
    await scroll(0.7, () => list.scrollTop + list.clientHeight >= list.scrollHeight - 1)
    return {
      items: [...all].sort((a, b) => a[0] - b[0]).map(([seq, words]) => `${seq} ${words}`),
      texts: [...texts].sort((a, b) => a[0] - b[0]).map(([, text]) => text),
      wrong,
    }
  }, 180_000)
}

interface Said {
  kind: string
  text?: unknown
  callId?: unknown
}

function blockOf({ kind, text, callId }: Said): Block | null {
  if (kind === 'assistant_text' || kind === 'thinking') return `${kind} ${String(text)}`
  return kind === 'tool_use' || kind === 'tool_result' ? `${kind} ${String(callId)}` : null
}

function reading<T>(file: string, read: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true, timeout: 5_000 })
  try {
    return read(db)
  } finally {
    db.close()
  }
}
