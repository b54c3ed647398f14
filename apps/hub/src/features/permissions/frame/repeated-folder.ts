/** Some programs name the folder of a command in its input, too. The page shows it once, as “In”. Pure. */
type Members = Array<[name: string, value: unknown]>

export const withoutRepeatedFolder = (members: Members, cwd: string): Members =>
  members.filter(([name, value]) => name !== 'cwd' || value !== cwd)
