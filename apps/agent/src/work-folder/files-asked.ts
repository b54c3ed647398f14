/** The query for files. */
export interface FilesAsked {
  /** The work folder of the session, by its real path. */
  folder: string
  roots: readonly string[]
  /** By any name: also where they lead is left out. */
  denied: readonly string[]
  query: string
}
