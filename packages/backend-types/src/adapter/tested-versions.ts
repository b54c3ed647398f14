/** The tested versions of a program, if this version is not one of them; otherwise undefined. */
export function testedInstead(
  tested: readonly string[] | undefined,
  version: string | undefined,
): string[] | undefined {
  const number = /\d+\.\d+\.\d+\S*/.exec(version ?? '')?.[0]
  return tested === undefined || number === undefined || tested.includes(number) ? undefined : [...tested]
}
