/** Rows that tell of a person: the machines shared with them, and what the login library's columns mean. */
import { Role } from '@roundhouse/backend-types'
import { readList } from './json-lists'

export type RawPerson<T> = Omit<T, keyof Told> & Told

interface Told {
  banned: number | null
  role: string | null
  shared: string
}

/** Of the person `u`, as a JSON list. */
export const sharedMachines = '(SELECT json_group_array(agentId) FROM MachineShare WHERE userId = u.id)'

/** A role is free text in the library's table: what is none of ours may the least. */
export function toPerson<T extends Told>(
  row: T,
): Omit<T, keyof Told> & { banned: boolean; role: Role; shared: string[] } {
  return {
    ...row,
    shared: readList(row.shared),
    banned: row.banned === 1,
    role: Role.safeParse(row.role).data ?? 'viewer',
  }
}
