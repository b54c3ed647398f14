/**
 * The to-do list that Claude Code keeps of a conversation: one small file for each task, below `tasks/` in a folder named after
 * it. A program that is resumed goes on with that list, and says of a task that it changes only its number.
 */
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PlanItem } from '@roundhouse/backend-types'
import { configFolder } from '../program/config-folder'
import { parseFrame, textAt } from '../wire/frames'
import { isConversationId } from '../wire/ids'
import { statusOf } from './plan-tracker'

export type StoredTask = readonly [id: string, item: PlanItem]

const MOST_TASKS = 500
const MOST_BYTES = 256 * 1024

/** In the order of their numbers. What cannot be read is left out. */
export async function storedTasks(env: Record<string, string>, conversation: string): Promise<StoredTask[]> {
  const config = configFolder(env)
  const list = env.CLAUDE_CODE_TASK_LIST_ID ?? conversation
  if (config === undefined || !isConversationId(list)) return []
  const folder = join(config, 'tasks', list)
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d+\.json$/.test(name))
  const numbers = names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b)
  const tasks = await Promise.all(numbers.slice(-MOST_TASKS).map((id) => readTask(join(folder, `${id}.json`))))
  return tasks.filter((task) => task !== null)
}

async function readTask(file: string): Promise<StoredTask | null> {
  try {
    const found = await lstat(file)
    if (!found.isFile() || found.size > MOST_BYTES) return null
    const task = parseFrame(await readFile(file, 'utf8')) ?? undefined
    const [id, text] = [textAt(task, 'id'), textAt(task, 'subject')]
    const status = statusOf(textAt(task, 'status'))
    return id === undefined || text === undefined || status === undefined ? null : [id, { text, status }]
  } catch {
    return null
  }
}
