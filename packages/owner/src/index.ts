export { type FileLock, isFileLocked, tryFileLock } from './file-lock'
export { type FolderOwner, folderOwner, tryFolderLock } from './folder-lock'
export { bootId, hadBegun, identify, isRunning, type ProcessIdentity, signal } from './process-identity'
export { listProcesses, type ProcessRow, readProcess } from './process-table'
