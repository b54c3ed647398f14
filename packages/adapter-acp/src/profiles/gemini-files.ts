/**
 * The chat files of Gemini CLI 0.61, one JSON record a line: what the file is, then messages. The first message says where the program
 * runs. `session/load` makes a second file of the conversation that holds nothing else. The next start of Gemini CLI in that folder
 * takes such a file for damaged, and deletes every file whose name has the same eight letters of an id.
 */
import { asRecord, asText, type Json } from '@roundhouse/adapter-kit/read'
import type { EmptyTwins } from './profile'

export const emptyTwins: EmptyTwins = {
  folder: ['.gemini', 'tmp', '*', 'chats'],
  conversationOf: (file) => /^session-\d{4}-\d\d-\d\dT\d\d-\d\d-([0-9a-f]{8})\.jsonl?$/.exec(file)?.[1],
  isEmpty: (text) => messagesIn(text)?.every(saysOnlyWhere) === true,
}

/** Undefined for a file that cannot be read. */
function messagesIn(text: string): Json[] | undefined {
  try {
    const records = text.split('\n').filter((line) => line !== '')
    return records.map((line) => asRecord(JSON.parse(line))).flatMap(messagesOf)
  } catch {
    return undefined
  }
}

function messagesOf(record: Json): Json[] {
  const changed = asRecord(record.$set).messages ?? record.messages
  if (Array.isArray(changed)) return changed.map(asRecord)
  return record.type === undefined ? [] : [record]
}

function saysOnlyWhere({ type, content }: Json): boolean {
  if (type !== 'user' || !Array.isArray(content)) return false
  return content.every((part) => asText(asRecord(part).text)?.startsWith('<session_context>') === true)
}
