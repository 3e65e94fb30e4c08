#import <Foundation/Foundation.h>
#define MOST_BOATS 40

typedef NS_ENUM(NSInteger, Wind) {
    WindNorth,
};

@protocol Moorable <NSObject>
- (BOOL)moorAt:(NSInteger)berth;
@end

/// A boat with its name.
@interface Boat : NSObject <Moorable> {
    int _width;
}
@property (nonatomic, copy) NSString *name;
- (instancetype)initWithName:(NSString *)name length:(NSInteger)length;
@end

@interface Boat (Racing)
- (void)race;
@end

static int doubled(int length) {
    int local = 2;
    return length * local;
}

@implementation Boat
- (instancetype)initWithName:(NSString *)name length:(NSInteger)length {
    if ((self = [super init])) {
        _name = [name copy];
    }
    return self;
}

+ (Boat *)last {
    return nil;
}
@end
