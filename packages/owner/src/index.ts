export { type FileLock, isFileLocked, requireLock, tryFileLock } from './file-lock'
export { type FolderOwner, folderId, folderOwner, tryFolderLock } from './folder-lock'
export {
  foreignSides,
  InTheWay,
  lookAt,
  makeOwnFile,
  makeOwnFolder,
  openOwnFile,
  readOwnBytes,
  readOwnFile,
  replaceOwnFile,
  requireOwnDatabase,
  requireOwnFile,
} from './own-file'
export { bootId, hadBegun, identify, isRunning, type ProcessIdentity, signal } from './process-identity'
export { listProcesses, type ProcessRow, readProcess } from './process-table'
