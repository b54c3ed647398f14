/** The looks at files of OpenCode, and the place at which each looks, for the host to judge (PERM-14). Pure. */
import { asRecord, asText } from '@roundhouse/adapter-kit/read'
import type { AskedCall, HarmlessCall } from './profile'

/** The member with the place where each looks, and what else it may be told. Without a place it looks in the work folder. */
const looks: Readonly<Record<string, { place: string; more: readonly string[] }>> = {
  read: { place: 'filePath', more: ['offset', 'limit'] },
  glob: { place: 'path', more: ['pattern'] },
  grep: { place: 'path', more: ['pattern', 'include'] },
  list: { place: 'path', more: ['ignore'] },
}

export function harmlessCall({ toolName, input }: AskedCall, workDir: string): HarmlessCall | null {
  const look = Object.hasOwn(looks, toolName) ? looks[toolName] : undefined
  if (look === undefined) return null
  const { [look.place]: place = workDir, ...more } = asRecord(input)
  const isKnown = Object.keys(more).every((name) => look.more.includes(name))
  // `**/../` and its like lead elsewhere.
  const staysBelow = [more.pattern, more.include].every((one) => !/^[/~]|\.\./.test(asText(one) ?? ''))
  return typeof place === 'string' && place !== '' && isKnown && staysBelow ? { reads: place } : null
}
