/** What a text in a chat asks for. Pure. */

const commands = ['start', 'link', 'unlink', 'sessions', 'new', 'stop', 'status', 'help'] as const
export type ChatCommand = (typeof commands)[number]

export type Asked = { kind: 'command'; command: ChatCommand; rest: string } | { kind: 'prompt'; text: string }

/** `/link ABC`, also as groups write it: `/link@bot ABC`. */
const pattern = /^\/([a-z]+)(?:@\w+)?(?:\s+(.*))?$/is

/** A command that is none of these belongs to the program of the session. */
export function readText(text: string): Asked {
  const [, word = '', rest = ''] = pattern.exec(text.trim()) ?? []
  const command = commands.find((one) => one === word.toLowerCase())
  return command ? { kind: 'command', command, rest: rest.trim() } : { kind: 'prompt', text }
}

export type Pressed =
  | { kind: 'session' | 'place'; sessionId: string }
  | { kind: 'decision'; decision: 'allow' | 'deny'; ref: string }

const kinds: Readonly<Record<string, (id: string) => Pressed>> = {
  s: (sessionId) => ({ kind: 'session', sessionId }),
  n: (sessionId) => ({ kind: 'place', sessionId }),
  a: (ref) => ({ kind: 'decision', decision: 'allow', ref }),
  d: (ref) => ({ kind: 'decision', decision: 'deny', ref }),
}

/** Null: none of ours. What a button carries can be forged, so it is an id and says nothing of rights. */
export function readPress(data: string): Pressed | null {
  const [, kind = '', id = ''] = /^([snad]):([A-Za-z0-9_-]{1,64})$/.exec(data) ?? []
  return Object.hasOwn(kinds, kind) ? (kinds[kind]?.(id) ?? null) : null
}
