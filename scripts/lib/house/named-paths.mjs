// Documents name files of the repository. Pure: takes names and text, returns plain sentences.

const sourceFile = /\.(tsx?|mjs|prisma)$/
const ourFolder = /^(apps|packages|e2e|scripts|bench|prisma|docs)\//
const isPath = (words) => /^[\w.@-]+(\/[\w.@-]+)*\/?$/.test(words) && (sourceFile.test(words) || ourFolder.test(words))

/** All files, and the folders that they lie in. */
export function placesOf(names) {
  const folders = names.flatMap((name) => {
    const steps = name.split('/').slice(0, -1)
    return steps.map((_step, index) => steps.slice(0, index + 1).join('/'))
  })
  return [...new Set([...names, ...folders])].map((place) => `/${place}`)
}

/** A path between backticks exists, as it stands or as the end of a longer one (`daemon/hosts`). */
export function findLostPaths(name, text, places) {
  if (!name.endsWith('.md')) return []
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/`([^`]+)`/g)]
      .map(([, words]) => words)
      .filter((words) => isPath(words) && !isThere(words.replace(/\/$/, ''), places))
      .map((words) => `${name}:${index + 1} names ${words}, which does not exist`),
  )
}

const isThere = (words, places) => places.some((place) => place.endsWith(`/${words}`))
