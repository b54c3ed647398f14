/** Chat channels on the reading connection. */
import type { StartedSession } from '../../../core/ports/channels/channel-rows'
import type { ChannelStore } from '../../../core/ports/channels/channel-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import {
  botColumns,
  cardColumns,
  linkColumns,
  type RawBot,
  type RawCard,
  type RawLink,
  toLink,
  toReply,
} from '../rows/channel-rows'

/** How many of all sessions are searched for those of one person. */
const LOOKED_AT = 2_000

const started = `SELECT sessionId, agentId, backend, workDir
  FROM (SELECT * FROM Session ORDER BY updatedAt DESC, pk DESC LIMIT ${LOOKED_AT})
  WHERE createdBy = ? AND backend <> '' AND workDir <> ''`

export function createChannelReads(db: Connection): AtOnce<ChannelStore> {
  const link = (where: string) => `SELECT ${linkColumns} FROM ChannelLink WHERE ${where}`
  const bot = db.prepare<[string], RawBot>(`SELECT ${botColumns} FROM ChannelBot WHERE kind = ?`)
  const links = db.prepare<[string], RawLink>(`${link('kind = ?')} ORDER BY linkedAt, linkId`)
  const byId = db.prepare<[string], RawLink>(link('linkId = ?'))
  const byChat = db.prepare<[string, string], RawLink>(link('kind = ? AND chatId = ?'))
  const byPerson = db.prepare<[string, string], RawLink>(link('kind = ? AND userId = ?'))
  const reply = db.prepare<[string], { n: number; body: string }>(
    'SELECT n, body FROM ChannelReply WHERE linkId = ? ORDER BY n LIMIT 1',
  )
  const open = db.prepare<[string], RawCard>(
    `SELECT ${cardColumns} FROM ChannelCard WHERE linkId = ? AND closedAt IS NULL ORDER BY createdAt, rowid`,
  )
  const card = db.prepare<[string], RawCard>(`SELECT ${cardColumns} FROM ChannelCard WHERE ref = ?`)
  const startedBy = db.prepare<[string], StartedSession>(started)
  const one = (row: RawLink | undefined) => row && toLink(row)
  return {
    bot: (kind) => bot.get(kind),
    links: (kind) => links.all(kind).map(toLink),
    link: (linkId) => one(byId.get(linkId)),
    linkOfChat: (kind, chatId) => one(byChat.get(kind, chatId)),
    linkOfPerson: (kind, userId) => one(byPerson.get(kind, userId)),
    nextReply: (linkId) => {
      const row = reply.get(linkId)
      return row && toReply(row)
    },
    openCards: (linkId) => open.all(linkId),
    card: (ref) => card.get(ref),
    startedBy: (userId, limit) => {
      const places = new Map<string, StartedSession>()
      for (const row of startedBy.iterate(userId)) {
        const place = JSON.stringify([row.agentId, row.backend, row.workDir])
        if (!places.has(place)) places.set(place, row)
        if (places.size >= limit) break
      }
      return [...places.values()]
    },
  }
}
