import { Permission, Role, rolesWith } from '../../access/roles';
import { listed } from '../../presentation/text/words';

/** `Your role in the team is viewer. Only publishers and admins can do this.` */
export const whoMay = (role: Role, permission: Permission): string =>
  `Your role in the team is ${role}. Only ${listed(rolesWith(permission).map((each) => `${each}s`))} can do this.`;
