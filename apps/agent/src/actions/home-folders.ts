/** The home folders of this machine's users, as a shell resolves `~` and `~user`. */
import { readFileSync } from 'node:fs'
import os from 'node:os'

/** Undefined for a user that is not in `/etc/passwd`. An empty name is this process's own user. */
export function homeOf(user: string): string | undefined {
  return user === '' ? os.homedir() : usersHomes().get(user)
}

function usersHomes(): Map<string, string> {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
    return new Map(lines.map((line) => line.split(':')).map(([name = '', , , , , home = '']) => [name, home]))
  } catch {
    return new Map()
  }
}
