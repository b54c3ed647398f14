import { realpathSync } from 'node:fs'
import path from 'node:path'

/** What is not there yet keeps its name, below the real path of what is. */
export function realPlace(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    const above = path.dirname(place)
    return above === place ? place : path.join(realPlace(above), path.basename(place))
  }
}
