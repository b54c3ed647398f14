/** The texts of a request that a program would use as commands and names, where look-alike characters matter. Pure. */
import type { ToolDetail } from '../transcript/changes/input-detail'

type Members = ReadonlyArray<readonly [name: string, value: unknown]>

export function codeTextsOf(detail: ToolDetail, rest: Members, cwd: string): string[] {
  return [...ofDetail(detail), ...ofMembers(rest), cwd]
}

function ofDetail(detail: ToolDetail): string[] {
  switch (detail.kind) {
    case 'none':
      return []
    case 'command':
    case 'json':
    case 'plan':
      return [detail.text]
    case 'members':
      return ofMembers(detail.members)
    case 'changes':
      return detail.changes.map(({ path }) => path)
    case 'cut':
      return [detail.value.head, detail.value.tail]
  }
}

const ofMembers = (members: Members) =>
  members.flatMap(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
