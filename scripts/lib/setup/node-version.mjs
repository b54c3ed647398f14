// Refuses a Node.js that is too old with one sentence instead of a syntax error. Entry scripts import this file
// alone and load the rest afterwards, so nothing newer than ES2015 may stand here or in them.
const least = [20, 19]

export function isTooOld(version) {
  const parts = version.split('.').map(Number)
  return parts[0] < least[0] || (parts[0] === least[0] && parts[1] < least[1])
}

export function refuseOldNode() {
  if (!isTooOld(process.versions.node)) return
  console.error(`Roundhouse needs Node.js ${least.join('.')} or newer, and this is ${process.versions.node}.`)
  process.exit(1)
}
