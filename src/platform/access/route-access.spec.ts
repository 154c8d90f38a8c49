import { Can, declarationOf, InProject, Public, SignedIn } from './route-access';

@Public()
@InProject({ collection: 'record', items: [] })
class PublicRoutes {
  open(): void {}

  @SignedIn('token')
  own(): void {}

  @Can('read')
  read(): void {}
}

class OtherRoutes {
  undecided(): void {}

  @Public()
  open(): void {}
}

describe('declarationOf', () => {
  const { prototype } = PublicRoutes;

  it('reads the decorators of the controller', () =>
    expect(declarationOf(PublicRoutes, prototype.open)).toEqual({
      isPublic: true,
      needsSession: false,
      ownIds: [],
      callsApi: false,
      access: null,
      projectRoutes: { collection: 'record', items: [] },
      teamRoutes: null,
    }));

  it('reads the decorators of the handler', () => {
    expect(declarationOf(PublicRoutes, prototype.own)).toMatchObject({
      needsSession: true,
      ownIds: ['token'],
    });
    expect(declarationOf(PublicRoutes, prototype.read)).toMatchObject({ access: { permission: 'read' } });
    expect(declarationOf(OtherRoutes, OtherRoutes.prototype.open)).toMatchObject({ isPublic: true });
  });

  it('finds no declaration if the route has none', () =>
    expect(declarationOf(OtherRoutes, OtherRoutes.prototype.undecided)).toMatchObject({
      isPublic: false,
      needsSession: false,
      access: null,
      projectRoutes: null,
    }));
});
