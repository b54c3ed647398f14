/** Columns that are JSON lists of words: the core sees the lists. */

export const readList = <T extends string = string>(text: string): T[] => JSON.parse(text) as T[]
export const writeList = (list: readonly string[]): string => JSON.stringify(list)
