/**
 * The versions of the real programs that this release was tested with: those that `e2e/real-backends` pins. Any other runs as
 * well, and is said to be untested. `docs/backends.md` lists them.
 */
export const testedVersions: Readonly<Record<string, readonly string[]>> = {
  claude: ['2.1.330'],
  codex: ['0.169.0'],
}

/** Of a program whose version was not tested: those that were. Undefined where there is nothing to say. */
export function testedInstead(kind: string, version: string | undefined): string[] | undefined {
  const tested = Object.hasOwn(testedVersions, kind) ? testedVersions[kind] : undefined
  const number = /\d+\.\d+\.\d+\S*/.exec(version ?? '')?.[0]
  return tested === undefined || number === undefined || tested.includes(number) ? undefined : [...tested]
}
