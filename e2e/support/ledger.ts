/**
 * Four accounts of one session, to be compared: what the script wrote before it printed, the agent's log, the hub's
 * table, and what a page shows. Each is read by its own means, none through another.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import type { SessionEvent, StoredEvent } from '@roundhouse/backend-types'
import type { HubClient } from '@roundhouse/hub-client'
import Database from 'better-sqlite3'

/** What the script says it printed, in its order. Written and synced by the player itself. */
export function truthOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const { output } = JSON.parse(line) as { output: { kind: string; text?: string } }
      return output.kind === 'assistant_text' ? [output.text ?? ''] : []
    })
}

interface Row {
  seq: number
  hash: string
  body: string
}

/** The agent's log, straight from its file. */
export function logOf(sessionFolder: string): Row[] {
  const db = new Database(path.join(sessionFolder, 'log.db'), { readonly: true })
  try {
    return db.prepare<[], Row>('SELECT seq, hash, body FROM events ORDER BY seq').all()
  } finally {
    db.close()
  }
}

/** The hub's table, straight from its file. */
export function tableOf(hubDataDir: string, sessionId: string): Row[] {
  const db = new Database(path.join(hubDataDir, 'hub.db'), { readonly: true })
  const sql =
    'SELECT e.seq, e.hash, e.body FROM Event e JOIN Session s ON s.pk = e.sessionPk WHERE s.sessionId = ? ORDER BY e.seq'
  try {
    return db.prepare<[string], Row>(sql).all(sessionId)
  } finally {
    db.close()
  }
}

/** The same over REST, page by page, as another program would read it. */
export async function readAll(client: HubClient, sessionId: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const page = await client.rest.events(sessionId, { after: events.at(-1)?.seq ?? 0, limit: 1_000 })
    events.push(...page.events)
    if (page.events.length === 0) return events
  }
}

export function textsOf(rows: ReadonlyArray<{ body: string }>): string[] {
  return rows.flatMap(({ body }) => {
    const event = JSON.parse(body) as SessionEvent
    return event.kind === 'assistant_text' && typeof event.text === 'string' ? [event.text] : []
  })
}

/** What the page shows, read from its own elements while scrolling from the end to the beginning. */
export async function shownBy(page: Page): Promise<string[]> {
  const found = await page.evaluate(async () => {
    const list = document.querySelector('[role=log]') as HTMLElement
    const texts = new Map<number, string>()
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const collect = () => {
      for (const item of list.querySelectorAll<HTMLElement>('[data-item=assistant]')) {
        texts.set(Number(item.dataset.seq), item.innerText.trim())
      }
    }
    let still = 0
    list.scrollTop = list.scrollHeight
    while (still < 50) {
      await frame()
      const before = `${texts.size} ${list.scrollTop} ${list.scrollHeight}`
      collect()
      list.scrollTop -= list.clientHeight * 0.7
      await frame()
      collect()
      still = before === `${texts.size} ${list.scrollTop} ${list.scrollHeight}` ? still + 1 : 0
    }
    return [...texts].sort((a, b) => a[0] - b[0])
  })
  return found.map(([, text]) => text)
}
