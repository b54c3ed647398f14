/** LINK-3: a connection may write only while no later one of the same agent was accepted. Asked inside the transaction. */
export function isFenced(connEpoch: number, newestEpoch: number): boolean {
  return connEpoch !== newestEpoch
}
