/** Seals secrets that the hub has to read again, with the key of its data folder. */
export interface SecretKeeper {
  seal(text: string): Promise<string>
  /** Throws where another key sealed it. */
  open(sealed: string): Promise<string>
}
