/**
 * The file of one conversation: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl` in the folder of Codex, in the folder of
 * the day on which it began.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

const DAY_MS = 86_400_000

export async function findRollout(env: Record<string, string>, threadId: string): Promise<string | null> {
  const home = env.CODEX_HOME ?? (env.HOME === undefined ? undefined : join(env.HOME, '.codex'))
  if (home === undefined || !/^0[0-9a-f]{7}-[0-9a-f-]{27}$/i.test(threadId)) return null
  const sessions = join(home, 'sessions')
  const isOurs = (file: string) => file.endsWith(`-${threadId}.jsonl`)
  for (const folder of daysAround(sessions, threadId)) {
    const name = (await namesIn(folder)).find(isOurs)
    if (name !== undefined) return join(folder, name)
  }
  const moved = (await readdir(sessions, { recursive: true }).catch(() => [])).find(isOurs)
  return moved === undefined ? null : join(sessions, moved)
}

/** The id says when the conversation began, in UTC; the folder is of the local day. */
function daysAround(sessions: string, threadId: string): string[] {
  const began = Number.parseInt(threadId.replaceAll('-', '').slice(0, 12), 16)
  return [0, -1, 1].flatMap((days) => {
    const [date] = new Date(began + days * DAY_MS).toISOString().split('T')
    return date === undefined ? [] : [join(sessions, ...date.split('-'))]
  })
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
