/** Of a program whose version was not tested: those that were. Undefined where there is nothing to say. */
export function testedInstead(
  tested: readonly string[] | undefined,
  version: string | undefined,
): string[] | undefined {
  const number = /\d+\.\d+\.\d+\S*/.exec(version ?? '')?.[0]
  return tested === undefined || number === undefined || tested.includes(number) ? undefined : [...tested]
}
