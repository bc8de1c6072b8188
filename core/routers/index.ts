/** Asks the router of a home to open ports. @see core/routers/README.md */

export { PortMapper, type PortMapperOptions } from './portMapper'
export type { MachineAccess, MappingRecord, PortMapping, RouterAccess } from './ports'
export { routerPorts } from './routerPorts'
